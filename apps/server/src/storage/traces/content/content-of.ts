import type { SpanContent } from "../trace-store.ts";
import type { BlockSpan } from "./block.ts";

/** @param logs the log records of the span, by time */
export function contentOf({ bytes, scope, resource }: BlockSpan, logs: readonly Uint8Array[] = []): SpanContent {
	return {
		span: bytes,
		scope: scope.bytes,
		scopeSchemaUrl: scope.schemaUrl,
		resource: resource.bytes,
		resourceSchemaUrl: resource.schemaUrl,
		logs,
	};
}
