import { config } from "../../../lib/config.ts";
import { keepsPasswordRules } from "../../../lib/password-rules.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { generatePassword } from "./generate-password.ts";
import type { GivenRole } from "./user-queries.ts";

const TEXTS = settingsTexts.users;
const { passwordLogin, passwordMail, providers, ldap, strongPasswords } = config.auth;

/** How new users may sign in on this server. */
export const METHODS = [
	...(passwordLogin ? (["LOCAL"] as const) : []),
	...(providers.length > 0 ? (["OAUTH2"] as const) : []),
	...(ldap ? (["LDAP"] as const) : []),
];
export type Method = "LOCAL" | "OAUTH2" | "LDAP";

/** Where the first password comes from; `mail`: the user chooses it by a link in a mail. */
export const INITIALS = ["generate", "write", ...(passwordMail ? (["mail"] as const) : [])] as const;
export type Initial = "generate" | "write" | "mail";

/** The values of the form for a new user. */
export interface UserDraft {
	readonly method: Method;
	readonly email: string;
	readonly username: string;
	readonly role: GivenRole;
	readonly initial: Initial;
	readonly written: string;
	readonly sendsMail: boolean;
}

export type DraftProblems = Partial<Record<"email" | "username" | "password", string>>;

export const NEW_USER: UserDraft = {
	method: METHODS[0] ?? "LOCAL",
	email: "",
	username: "",
	role: "MEMBER",
	initial: "generate",
	written: "",
	sendsMail: true,
};

export function findProblems(draft: UserDraft): DraftProblems {
	const writes = draft.method === "LOCAL" && draft.initial === "write";
	return {
		...(draft.email.trim() === "" ? { email: TEXTS.emailMissing } : {}),
		...(draft.username.trim() === "" ? { username: TEXTS.usernameMissing } : {}),
		...(writes && !keepsPasswordRules(draft.written, strongPasswords)
			? { password: settingsTexts.account.rulesBroken }
			: {}),
	};
}

/** The password the user gets; undefined when nobody needs to know one. */
export function initialPassword({ method, initial, written }: UserDraft): string | undefined {
	if (method !== "LOCAL" || initial === "mail") return;
	return initial === "write" ? written : generatePassword();
}

export function sendsWelcomeMail({ method, initial, sendsMail }: UserDraft): boolean {
	return passwordMail && (sendsMail || (method === "LOCAL" && initial === "mail"));
}
