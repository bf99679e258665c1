import type { TokenCounts } from "@spanward/semconv";
import type { ModelUsage } from "../model-request.ts";

/** As they are read from the span of the call, so that both cost the same. */
export function tokenCounts({ input, output, cache_read, cache_write, reasoning }: ModelUsage): TokenCounts {
	return {
		prompt: input,
		completion: output,
		total: input + output,
		...(cache_read === undefined ? {} : { cache_read }),
		...(cache_write === undefined ? {} : { cache_write }),
		...(reasoning === undefined ? {} : { reasoning }),
	};
}
