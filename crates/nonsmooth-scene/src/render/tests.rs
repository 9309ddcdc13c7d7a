//! Pictures against what geometry says they show.
