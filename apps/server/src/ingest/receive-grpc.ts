import {
	Metadata as GrpcMetadata,
	type Metadata,
	Server,
	ServerCredentials,
	ServerInterceptingCall,
	type ServerInterceptor,
	type ServerUnaryCall,
	type ServiceDefinition,
	type StatusObject,
	type sendUnaryData,
} from "@grpc/grpc-js";
import type { Config } from "../config.ts";
import { queueFull } from "./answers.ts";
import { encodeExportResponse, encodeStatus } from "./export-response.ts";
import type { ExportAnswer, ExportRequest, Ingest } from "./ingest.ts";
import type { IngestLog } from "./ingest-pool.ts";

/** Answers what is wrong with a caller, undefined when it may send. */
export type AuthorizeExport = (
	metadata: Metadata,
) => Promise<{ readonly code: number; readonly message: string } | undefined>;

/** Authentication is off: everybody may send. */
export const admitEveryExport: AuthorizeExport = async () => undefined;

export interface GrpcReceiver extends AsyncDisposable {
	readonly port: number;
}

const GRACE_MS = 5_000;
const MAX_STREAMS_PER_CONNECTION = 128;
/** Of a gRPC message before its content: a flag and the length. */
const FRAME_HEADER_BYTES = 5;

/**
 * OTLP over gRPC: messages come to the ingest queue as raw bytes.
 * Source: https://opentelemetry.io/docs/specs/otlp/#otlpgrpc
 * @throws Error when the address cannot be bound
 */
export async function listenGrpc(options: {
	readonly config: Config;
	readonly host: string;
	readonly ingest: Ingest;
	readonly log: IngestLog;
	readonly authorize: AuthorizeExport;
}): Promise<GrpcReceiver> {
	const { config, ingest } = options;
	const server = new Server({
		"grpc.max_receive_message_length": config.SERVICE_OTLP_MAX_INFLATED_BYTES,
		"grpc.max_concurrent_streams": MAX_STREAMS_PER_CONNECTION,
		interceptors: [admit(options)],
	});
	server.addService(service("opentelemetry.proto.collector.trace.v1.TraceService"), {
		Export: handler("traces", ingest),
	});
	server.addService(service("opentelemetry.proto.collector.logs.v1.LogsService"), { Export: handler("logs", ingest) });
	const port = await bind(server, options.host, config.SERVICE_GRPC_PORT);
	return { port, [Symbol.asyncDispose]: () => shutDown(server) };
}

/** Asks `authorize` and looks for room before the message is read. */
function admit(options: {
	readonly ingest: Ingest;
	readonly authorize: AuthorizeExport;
	readonly log: IngestLog;
}): ServerInterceptor {
	const { ingest, authorize, log } = options;
	return (_method, call) =>
		new ServerInterceptingCall(call, {
			start: (next) => {
				next({
					onReceiveMetadata: (metadata, proceed) => {
						authorize(metadata).then(
							(refusal) => {
								if (refusal !== undefined) {
									call.sendStatus({ code: refusal.code, details: refusal.message });
									return;
								}
								const room = ingest.reserve(0);
								if (room === undefined) {
									const answer = queueFull();
									ingest.countRefusal(answer);
									call.sendStatus(toStatus(answer));
									return;
								}
								room.release();
								proceed(metadata);
							},
							(error: unknown) => {
								log.error({ err: error }, "an export could not be authorized");
								call.sendStatus({ code: 13, details: "The service failed to authorize the request." });
							},
						);
					},
				});
			},
		});
}

function handler(signal: ExportRequest["signal"], ingest: Ingest) {
	return (call: ServerUnaryCall<Buffer, Uint8Array>, reply: sendUnaryData<Uint8Array>) => {
		const projectName = call.metadata.get("x-project-name")[0]?.toString();
		const request: ExportRequest = {
			signal,
			format: "protobuf",
			encoding: "identity",
			body: ownBytes(call.request),
			...(projectName === undefined ? {} : { projectName }),
		};
		ingest.submit(request).then(
			(answer) => {
				if (answer.status === 200) reply(null, encodeExportResponse(answer, signal));
				else reply(toStatus(answer));
			},
			(error: unknown) => reply({ code: 13, details: String(error) }),
		);
	};
}

function toStatus(answer: ExportAnswer): StatusObject {
	const metadata = new GrpcMetadata();
	metadata.set("grpc-status-details-bin", Buffer.from(encodeStatus(answer)));
	return { code: answer.code, details: answer.message.toWellFormed(), metadata };
}

/** Large messages own their buffer, behind the frame's header; small ones share a pool and are copied out. */
function ownBytes(message: Buffer): Uint8Array<ArrayBuffer> {
	const { buffer } = message;
	const owned = buffer.byteLength - message.byteLength <= FRAME_HEADER_BYTES;
	return owned && buffer instanceof ArrayBuffer
		? new Uint8Array(buffer, message.byteOffset, message.byteLength)
		: new Uint8Array(message);
}

function service(name: string): ServiceDefinition {
	return {
		Export: {
			path: `/${name}/Export`,
			requestStream: false,
			responseStream: false,
			requestSerialize: (bytes: Buffer) => bytes,
			requestDeserialize: (bytes: Buffer) => bytes,
			responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
			responseDeserialize: (bytes: Buffer) => bytes,
		},
	};
}

function bind(server: Server, host: string, port: number): Promise<number> {
	const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
	return new Promise((resolve, reject) => {
		server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
			if (error === null) resolve(bound);
			else
				reject(
					new Error(`gRPC cannot listen on ${address}: ${error.message}. Set SERVICE_GRPC_PORT to a free port.`, {
						cause: error,
					}),
				);
		});
	});
}

/** Lets running calls end, for some seconds. */
function shutDown(server: Server): Promise<void> {
	return new Promise((resolve) => {
		const force = setTimeout(() => {
			server.forceShutdown();
			resolve();
		}, GRACE_MS);
		server.tryShutdown(() => {
			clearTimeout(force);
			resolve();
		});
	});
}
