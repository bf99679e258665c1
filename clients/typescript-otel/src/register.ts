import type { TracerProvider } from "@opentelemetry/api";
import type { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createTracerProvider, type TracerProviderOptions } from "./tracer-provider.ts";

/** What instrumentation libraries of OpenTelemetry and OpenInference have in common. */
interface Instrumentation {
	setTracerProvider(provider: TracerProvider): void;
	enable(): void;
}

export interface RegisterOptions extends TracerProviderOptions {
	/** Set up with the provider, for example `new OpenAIInstrumentation()`. */
	instrumentations?: readonly Instrumentation[];
	/** Make it the provider of everything that asks OpenTelemetry's API for one; true unless told otherwise. */
	global?: boolean;
}

/**
 * Sets tracing up: spans of this process go to Spanward from now on. What still waits when the process ends by itself is
 * sent; call `shutdown()` before `process.exit`.
 * @example
 * register({ projectName: "support-bot", instrumentations: [new OpenAIInstrumentation()] });
 * @throws TypeError when the endpoint is no http address; Error when gRPC's exporter is wanted and not installed
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
