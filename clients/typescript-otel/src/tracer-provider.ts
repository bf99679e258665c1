import { createRequire } from "node:module";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
	BatchSpanProcessor,
	NodeTracerProvider,
	SimpleSpanProcessor,
	type SpanExporter,
	type SpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { type Destination, type DestinationOptions, readDestination } from "./endpoint.ts";
import { type RunningSpanOptions, RunningSpanProcessor } from "./running-span-processor.ts";

export interface TracerProviderOptions extends DestinationOptions {
	/** Send spans in batches every few seconds (the default), or each one immediately. */
	batch?: boolean;
	/** Also send spans while they run, see `RunningSpanProcessor`; default false. */
	running?: boolean | RunningSpanOptions;
	/** Further attributes of the resource, for example `service.name`. */
	resourceAttributes?: Readonly<Record<string, string>>;
}

/**
 * A tracer provider that sends spans to Spanward. It is not registered globally; `register` does that.
 * @throws TypeError when the endpoint is not an http address; Error for gRPC when its exporter is not installed
 */
export function createTracerProvider(options: TracerProviderOptions = {}): NodeTracerProvider {
	const destination = readDestination(options);
	const { batch = true, running = false } = options;
	const exporter = createExporter(destination);
	const processors: SpanProcessor[] = [batch ? new BatchSpanProcessor(exporter) : new SimpleSpanProcessor(exporter)];
	if (running !== false)
		processors.unshift(new RunningSpanProcessor(createExporter(destination), running === true ? {} : running));
	return new NodeTracerProvider({
		resource: defaultResource().merge(
			resourceFromAttributes({
				...options.resourceAttributes,
				// The attribute for the project: https://github.com/Arize-ai/openinference/blob/main/spec/configuration.md
				"openinference.project.name": destination.projectName,
			}),
		),
		spanProcessors: processors,
	});
}

/** Registers a context manager, which tracks the current span in asynchronous code, unless there is one already. */
export function followContext(): void {
	const manager = new AsyncLocalStorageContextManager();
	if (context.setGlobalContextManager(manager)) manager.enable();
}

function createExporter({ protocol, url, headers }: Destination): SpanExporter {
	if (protocol === "http/protobuf") return new OTLPTraceExporter({ url, headers: { ...headers } });
	const require = createRequire(import.meta.url);
	const { Metadata } = required<typeof import("@grpc/grpc-js")>(require, "@grpc/grpc-js");
	const grpc = required<typeof import("@opentelemetry/exporter-trace-otlp-grpc")>(
		require,
		"@opentelemetry/exporter-trace-otlp-grpc",
	);
	const metadata = new Metadata();
	for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
	return new grpc.OTLPTraceExporter({ url, metadata });
}

/** Loaded on demand: most applications send over HTTP and need not install it. */
function required<Module>(require: NodeJS.Require, name: string): Module {
	try {
		return require(name) as Module;
	} catch (error) {
		throw new Error('sending over gRPC needs "npm install @opentelemetry/exporter-trace-otlp-grpc @grpc/grpc-js"', {
			cause: error,
		});
	}
}
