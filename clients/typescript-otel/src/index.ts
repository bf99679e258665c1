export { type RegisterOptions, register } from "./register.ts";
export { createTracerProvider, followContext, type TracerProviderOptions } from "./tracer-provider.ts";
