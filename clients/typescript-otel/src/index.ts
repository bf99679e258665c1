export { type RegisterOptions, register } from "./register.ts";
export { createTracerProvider, type TracerProviderOptions } from "./tracer-provider.ts";
