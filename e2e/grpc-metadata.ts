import { Metadata } from "@grpc/grpc-js";
import type { TestServer } from "./server.ts";

/** What a gRPC exporter adds to each call; its keys have to be lower case. */
export function metadataOf({ headers }: Pick<TestServer, "headers">): Metadata {
	const metadata = new Metadata();
	for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
	return metadata;
}
