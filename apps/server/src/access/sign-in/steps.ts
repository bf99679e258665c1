/** The steps of signing in with a provider or directory; a check of the settings takes only the first ones. */
export type StepName =
	| "settings"
	| "folder"
	| "address"
	| "discovery"
	| "callback"
	| "tokens"
	| "id_token"
	| "userinfo"
	| "connect"
	| "tls"
	| "bind"
	| "search"
	| "user_bind"
	| "attributes"
	| "email"
	| "groups"
	| "role"
	| "account"
	| "clock"
	| "cookies"
	| "proxy"
	| "mail"
	/** Only in `spanward doctor`. */
	| "disk"
	| "durability"
	| "schema"
	| "replica"
	| "rights"
	| "merges";

/**
 * What was seen, for an admin who looks for a mistake. May hold personal data, never a password, token, code or cookie.
 */
export interface Fact {
	readonly name: string;
	readonly value: string;
}

export interface Step {
	readonly name: StepName;
	readonly outcome: "ok" | "warning" | "failed" | "skipped";
	/** One sentence for the operator, without personal data and secrets: it goes to the log. */
	readonly text: string;
	/** The variables to change, by their full names; empty when nothing is wrong. */
	readonly settings: readonly string[];
	readonly facts: readonly Fact[];
}

/** What the log-in page is told, generic on purpose. The codes are public: they are `?error=` of the log-in page. */
export type SignInErrorCode =
	| "unknown_idp"
	| "auth_failed"
	| "invalid_state"
	| "unsafe_return_url"
	| "oauth_error"
	| "no_oidc_support"
	| "missing_email_scope"
	| "email_in_use"
	| "sign_in_not_allowed"
	/** LDAP: one answer for everything that may be the user's fault. */
	| "invalid_login"
	/** LDAP: no server could be asked. */
	| "directory_unavailable";

interface Details {
	readonly settings?: readonly string[];
	readonly facts?: readonly Fact[];
}

/** Somebody may not log in, or nobody can be asked; `step` tells the operator why. */
export class SignInRefusal extends Error {
	override readonly name = "SignInRefusal";
	readonly code: SignInErrorCode;
	readonly step: Step;

	constructor(code: SignInErrorCode, step: Step, options?: ErrorOptions) {
		super(step.text, options);
		this.code = code;
		this.step = step;
	}
}

/** Notes each step of a sign-in, real or tried, so that both say the same. */
export class Steps {
	readonly #list: Step[] = [];

	get list(): readonly Step[] {
		return this.#list;
	}

	/** Forgets the steps after the first `count`, before they are taken again. */
	cutTo(count: number): void {
		this.#list.length = count;
	}

	ok(name: StepName, text: string, details: Details = {}): void {
		this.#add(name, "ok", text, details);
	}

	warn(name: StepName, text: string, details: Details = {}): void {
		this.#add(name, "warning", text, details);
	}

	skip(name: StepName, text: string, details: Details = {}): void {
		this.#add(name, "skipped", text, details);
	}

	/** Something is wrong that does not end the attempt, such as one directory of several. */
	fail(name: StepName, text: string, details: Details = {}): Step {
		return this.#add(name, "failed", text, details);
	}

	/** Notes why the attempt ends, for `throw`. */
	refuse(
		name: StepName,
		code: SignInErrorCode,
		text: string,
		details: Details & { readonly cause?: unknown } = {},
	): SignInRefusal {
		return new SignInRefusal(code, this.fail(name, text, details), { cause: details.cause });
	}

	#add(name: StepName, outcome: Step["outcome"], text: string, { settings = [], facts = [] }: Details): Step {
		const step: Step = { name, outcome, text, settings, facts };
		this.#list.push(step);
		return step;
	}
}
