import { lazily } from "#base/lazily.ts";
import type { WritingContext } from "#context.ts";
import type { ModelCaller } from "./call-model.ts";
import type { CallerContext } from "./caller/caller.ts";
import { settleCallsOfBefore } from "./ledger/settle-expired.ts";
import { Providers } from "./providers.ts";

/**
 * Calls models through the connections that are stored or in the settings, with requests that the guard lets through. What
 * does so is loaded with the first call.
 */
export async function createCaller(
	context: CallerContext & Pick<WritingContext, "outgoing">,
): Promise<ModelCaller & AsyncDisposable> {
	await settleCallsOfBefore(context.db);
	const caller = lazily(async () => {
		const { Caller } = await import("./caller/caller.ts");
		return new Caller(context, new Providers(context));
	});
	return {
		call: async (...call) => await (await caller.get()).call(...call),
		[Symbol.asyncDispose]: async () => await (await caller.ifMade())?.[Symbol.asyncDispose](),
	};
}
