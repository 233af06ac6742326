// Functions that custom_call_cli_test.py calls through --custom-call-lib.
extern "C" void twice(void* out, const void** in) {
  const auto* x = static_cast<const float*>(in[0]);
  auto* y = static_cast<float*>(out);
  for (int i = 0; i < 2; ++i) y[i] = 2 * x[i];
}

extern "C" void negate_and_count(void* out, const void** in) {
  const auto* x = static_cast<const float*>(in[0]);
  void** results = static_cast<void**>(out);
  auto* negated = static_cast<float*>(results[0]);
  for (int i = 0; i < 2; ++i) negated[i] = -x[i];
  *static_cast<int*>(results[1]) = 2;
}
