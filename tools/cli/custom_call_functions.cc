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

// The second ABI has a status.
struct XlaCustomCallStatus;
extern "C" void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);
extern "C" void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                              unsigned long length);

extern "C" void invert(void* out, const void** in, XlaCustomCallStatus* status) {
  const auto* x = static_cast<const float*>(in[0]);
  auto* y = static_cast<float*>(out);
  XlaCustomCallStatusSetSuccess(status);
  for (int i = 0; i < 2; ++i) {
    y[i] = 1 / x[i];
    if (x[i] == 0) XlaCustomCallStatusSetFailure(status, "a zero has no inverse", 6);
  }
}

// The third has the backend_config, too.
extern "C" void add_digit(void* out, const void** in, const char* opaque, unsigned long length,
                          XlaCustomCallStatus* status) {
  const auto* x = static_cast<const float*>(in[0]);
  auto* y = static_cast<float*>(out);
  for (int i = 0; i < 2; ++i) y[i] = x[i] + static_cast<float>(opaque[0] - '0');
  if (length != 1) XlaCustomCallStatusSetFailure(status, "one digit", 9);
}
