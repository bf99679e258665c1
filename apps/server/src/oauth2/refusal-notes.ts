import type { Origin } from "../auth/audit.ts";
import type { Context } from "../context.ts";
import { noteRefusal } from "../external-accounts/note-refusal.ts";
import type { SignInRefusal } from "../sign-in/steps.ts";

const MAX_A_MINUTE = 120;
const MINUTE = 60_000_000;

/** Notes refusals for the operator, but not without end: anybody can cause them, by an address alone. */
export class RefusalNotes {
	readonly #context: Context;
	#minute = 0;
	#count = 0;

	constructor(context: Context) {
		this.#context = context;
	}

	async note(request: Origin, refusal: SignInRefusal, provider: string): Promise<void> {
		const { log, now } = this.#context;
		const minute = Math.floor(now() / MINUTE);
		if (minute !== this.#minute) {
			const leftOut = this.#count - MAX_A_MINUTE;
			if (leftOut > 0) log.warn({ leftOut }, "further refused sign-ins with providers were not noted");
			this.#minute = minute;
			this.#count = 0;
		}
		this.#count++;
		if (this.#count > MAX_A_MINUTE) return;
		log.debug({ provider, codes: codesOf(refusal) }, "a sign-in with a provider was refused");
		await noteRefusal(this.#context, request, refusal, { provider });
	}
}

/** The codes of what libraries threw: their messages and causes quote tokens and claims. */
function codesOf(refusal: SignInRefusal): readonly string[] {
	const codes: string[] = [];
	for (let at: unknown = refusal.cause; at instanceof Error; at = at.cause) {
		codes.push("code" in at ? `${at.name} ${at.code}` : at.name);
	}
	return codes;
}
