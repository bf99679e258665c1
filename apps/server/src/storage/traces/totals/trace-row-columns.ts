import { environmentOf, type Rollup, releaseOf, userOf } from "./rollup.ts";
import { totalsColumns } from "./totals-columns.ts";

/** What the row of a trace has of the sums of its spans, in each database. */
export function rollupColumns(rollup: Rollup) {
	const { root } = rollup;
	return {
		session_span: rollup.session?.id ?? null,
		start_micros: rollup.startMicros,
		start_nanos: rollup.startNanos,
		end_micros: rollup.endMicros,
		end_nanos: rollup.endNanos,
		...totalsColumns(rollup),
		root_span: root.id,
		root_span_id: Buffer.from(root.spanId, "hex"),
		root_name: root.name,
		root_kind: root.kind,
		root_status: root.statusCode,
		root_model: root.model,
		user_span: rollup.user?.id ?? null,
		user_id: userOf(rollup),
		...deploymentColumns(rollup),
	};
}

/** Those of them that tell what has sent the spans. */
export function deploymentColumns(rollup: Pick<Rollup, "root" | "release" | "environment">) {
	return {
		release_span: rollup.release?.id ?? null,
		release: releaseOf(rollup),
		environment_span: rollup.environment?.id ?? null,
		environment: environmentOf(rollup),
	};
}
