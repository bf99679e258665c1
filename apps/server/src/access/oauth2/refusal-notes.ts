import type { Context } from "#context.ts";
import type { Origin } from "../auth/audit.ts";
import { noteRefusal } from "../external-accounts/note-refusal.ts";
import type { SignInRefusal, StepName } from "../sign-in/steps.ts";
import { ProviderFault } from "./provider-fault.ts";

/** A minute, both for refusals that anybody can cause and for those after a person signed in at the provider. */
const MAX_A_MINUTE = 120;
const MINUTE = 60_000_000;
/** Steps after the provider has given tokens for the code. */
const AFTER_TOKENS: ReadonlySet<StepName> = new Set(["id_token", "userinfo", "email", "groups", "role", "account"]);

/**
 * Notes refusals for the operator, within limits, as anybody can cause many with an address alone. Those do not crowd
 * out refusals of people whom the provider knows.
 */
export class RefusalNotes {
	readonly #context: Context;
	#minute = 0;
	#counts = { anybody: 0, known: 0 };

	constructor(context: Context) {
		this.#context = context;
	}

	async note(request: Origin, refusal: SignInRefusal, provider: string): Promise<void> {
		const { log, now } = this.#context;
		const minute = Math.floor(now() / MINUTE);
		if (minute !== this.#minute) {
			const leftOut = Object.values(this.#counts).reduce((sum, count) => sum + Math.max(0, count - MAX_A_MINUTE), 0);
			if (leftOut > 0) log.warn({ leftOut }, "further refused sign-ins with providers were not recorded");
			this.#minute = minute;
			this.#counts = { anybody: 0, known: 0 };
		}
		const count = ++this.#counts[AFTER_TOKENS.has(refusal.step.name) ? "known" : "anybody"];
		if (count > MAX_A_MINUTE) return;
		const { cause } = refusal;
		log.debug({ provider, codes: codesOf(cause) }, "a sign-in with a provider was refused");
		if (cause instanceof Error && !(cause instanceof ProviderFault)) {
			log.error(
				{ provider, codes: codesOf(cause), at: framesOf(cause) },
				"a sign-in with a provider ended in an unexpected error",
			);
		}
		await noteRefusal(this.#context, request, refusal, { provider });
	}
}

/** Codes of the errors only, as messages and causes quote tokens and claims. */
function codesOf(cause: unknown): readonly string[] {
	const codes: string[] = [];
	for (let at = cause; at instanceof Error; at = at.cause) {
		codes.push("code" in at ? `${at.name} ${at.code}` : at.name);
	}
	return codes;
}

/** Where it was thrown, without the message. */
function framesOf({ message, stack = "" }: Error): readonly string[] {
	const frames = stack.slice(stack.indexOf(message) + message.length);
	return frames.split("\n").flatMap((line) => /^ +at (.*)$/.exec(line)?.[1] ?? []);
}
