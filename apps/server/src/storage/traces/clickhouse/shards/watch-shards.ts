import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import type { TraceMetadata } from "../metadata/trace-metadata.ts";
import type { TraceShards } from "./trace-shards.ts";

const LOOK_EVERY_MS = 10_000;

/**
 * Has a server answer nothing, in place of a part, once another one has added a shard that it does not know.
 * @param tell gets a sentence when that is so
 */
export function watchShards(
	shards: TraceShards,
	metadata: Pick<TraceMetadata, "shardHistory">,
	tell: (sentence: string) => void,
): AsyncDisposable {
	const known = shards.list.length;
	let looking: Promise<void> | undefined;
	const look = async () => {
		const count = (await metadata.shardHistory())?.count ?? 0;
		if (count <= known) return;
		shards.expect(count);
		clearInterval(timer);
		tell(
			`there are ${count} shards now, and SERVICE_CLICKHOUSE_URL lists ${known}: this server takes no more spans until it is started with all of them`,
		);
	};
	const timer = setInterval(() => {
		looking ??= look()
			// The next look may do.
			.catch((error: unknown) => {
				if (!(error instanceof StorageUnavailable)) throw error;
			})
			.finally(() => {
				looking = undefined;
			});
	}, LOOK_EVERY_MS).unref();
	return {
		async [Symbol.asyncDispose]() {
			clearInterval(timer);
			await looking;
		},
	};
}
