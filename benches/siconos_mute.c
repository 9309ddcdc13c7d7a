/* Empty bodies for the self-checks of Siconos' graphs, which Debian's build runs at every change of a contact: they
 * compare all neighbours with all, and take most of a step with many contacts. Preloaded (LD_PRELOAD), they stand in
 * for the originals, so that the time is near that of a build without asserts. Nothing else is changed.
 *
 *     cc -shared -fPIC -O2 -o siconos_mute.so benches/siconos_mute.c
 */

#define INTERACTIONS(name, n) _ZNK12SiconosGraphISt10shared_ptrI11InteractionES0_I15DynamicalSystemE21InteractionProperties25DynamicalSystemProperties15GraphPropertiesE##n##name##Ev
#define SYSTEMS(name, n) _ZNK12SiconosGraphISt10shared_ptrI15DynamicalSystemES0_I11InteractionE25DynamicalSystemProperties21InteractionProperties15GraphPropertiesE##n##name##Ev

_Bool INTERACTIONS(state_assert, 12)(const void *graph) { return graph != 0; }
_Bool SYSTEMS(state_assert, 12)(const void *graph) { return graph != 0; }
_Bool INTERACTIONS(adjacent_vertices_ok, 20)(const void *graph) { return graph != 0; }
_Bool SYSTEMS(adjacent_vertices_ok, 20)(const void *graph) { return graph != 0; }
