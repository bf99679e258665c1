export { type RegisterOptions, register } from "./register.ts";
export { type RunningSpanOptions, RunningSpanProcessor } from "./running-span-processor.ts";
export { createTracerProvider, followContext, type TracerProviderOptions } from "./tracer-provider.ts";
