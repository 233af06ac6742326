from jax._src.lib import xla_client as xc
HLO = '''HloModule m
ENTRY e { a = s8[4611686018427387904] parameter(0) ROOT r = concatenate(a, a), dimensions={0} }'''
print('expected', 'refused')
try:
    text = xc.hlo.hlo_module_from_text(HLO).to_string()
    print('actual', text[text.index('->') + 2:text.index('\n')])
except Exception:
    print('actual', 'refused')
