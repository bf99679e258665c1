import type { TracerProvider } from "@opentelemetry/api";
import type { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createTracerProvider, type TracerProviderOptions } from "./tracer-provider.ts";

/** The common interface of instrumentation libraries of OpenTelemetry and OpenInference. */
interface Instrumentation {
	setTracerProvider(provider: TracerProvider): void;
	enable(): void;
}

export interface RegisterOptions extends TracerProviderOptions {
	/** Instrumentation libraries to register with the provider, for example `new OpenAIInstrumentation()`. */
	instrumentations?: readonly Instrumentation[];
	/** Make it OpenTelemetry's global tracer provider; default true. */
	global?: boolean;
}

/**
 * Sets tracing up: spans of this process are sent to Spanward from now on. Queued spans are sent when the process ends by
 * itself; call `shutdown()` before `process.exit`.
 * @example
 * register({ projectName: "support-bot", instrumentations: [new OpenAIInstrumentation()] });
 * @throws TypeError when the endpoint is not an http address; Error for gRPC when its exporter is not installed
 */
export function register({
	instrumentations = [],
	global = true,
	...options
}: RegisterOptions = {}): NodeTracerProvider {
	const provider = createTracerProvider(options);
	if (global) provider.register();
	for (const instrumentation of instrumentations) {
		instrumentation.setTracerProvider(provider);
		instrumentation.enable();
	}
	process.once("beforeExit", () => void provider.forceFlush().catch(() => undefined));
	return provider;
}
