import { claimedEmail } from "#base/email.ts";
import type { Expression } from "#base/jmespath/expression.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { cleanUsername } from "#base/username.ts";
import type { OAuth2Identity } from "../external-accounts/identity.ts";
import { fact } from "../sign-in/facts.ts";
import type { Fact, StepName, Steps } from "../sign-in/steps.ts";
import { acceptedPictureUrl } from "../users/profile-picture.ts";
import { decideRole, roleText } from "./roles.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** OpenID Connect Core 2 */
const MAX_SUBJECT_LENGTH = 255;

/** Whether the ID token lacks something that the settings read, so that userinfo has to be asked. */
export function needsUserinfo({ emailPath, groupsPath, rolePath }: OAuth2Provider, idTokenClaims: Claims): boolean {
	return (
		readEmail(emailPath.search(idTokenClaims)) === undefined ||
		(groupsPath !== null && readGroups(groupsPath.search(idTokenClaims)).length === 0) ||
		(rolePath !== null && roleText(rolePath.search(idTokenClaims)) === undefined)
	);
}

/**
 * Who has signed in, and with which role.
 * @param issuer of the ID token
 * @param claims of the ID token and userinfo; those of the ID token win
 * @throws SignInRefusal for claims that let nobody in
 */
export function identityFromClaims(
	provider: OAuth2Provider,
	issuer: string,
	claims: Claims,
	steps: Steps,
): OAuth2Identity {
	const subject = getSubject(claims["sub"], steps);
	const email = getEmail(provider, claims, steps);
	checkGroups(provider, claims, steps);
	const role = getRole(provider, claims, steps);
	const { name, picture } = claims;
	return {
		method: "OAUTH2",
		provider,
		issuer,
		subject,
		email,
		emailVerified: readEmailVerified(email, claims),
		name: typeof name === "string" ? cleanUsername(name) || undefined : undefined,
		picture: typeof picture === "string" ? acceptedPictureUrl(picture) : undefined,
		role,
	};
}

function getSubject(sub: unknown, steps: Steps): string {
	const subject = Number.isSafeInteger(sub) ? String(sub) : sub;
	if (typeof subject === "string" && isSubject(subject)) return subject;
	throw steps.refuse(
		"id_token",
		"auth_failed",
		"The claim sub, by which the provider identifies its users, is missing or is not a text of 1 to 255 characters: this has to be fixed at the provider.",
		{ facts: [scalarFact("sub", sub)] },
	);
}

/** A subject that the database does not keep unchanged could become another's. */
function isSubject(text: string): boolean {
	return text.trim() !== "" && text.length <= MAX_SUBJECT_LENGTH && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function getEmail({ prefix, emailPath }: OAuth2Provider, claims: Claims, steps: Steps): string {
	const variable = `${prefix}EMAIL_ATTRIBUTE_PATH`;
	const value = evaluate(emailPath, variable, "email", claims, steps);
	const email = readEmail(value);
	const facts = [claimFact(emailPath.text, value)];
	if (email !== undefined) {
		steps.ok("email", "The claims contain an email.", {
			facts: [...facts, scalarFact("email_verified", claims["email_verified"])],
		});
		return email;
	}
	throw steps.refuse(
		"email",
		"missing_email_scope",
		value === undefined
			? `${variable} yields nothing on the claims: have the provider send the email, or name the claim that has it.`
			: `${variable} yields something that is not an email address: name the claim that has it.`,
		{ settings: [variable, ...(value === undefined ? [`${prefix}SCOPES`] : [])], facts },
	);
}

/** @throws SignInRefusal for a person who is in none of the groups that may sign in */
function checkGroups({ prefix, groupsPath, allowedGroups }: OAuth2Provider, claims: Claims, steps: Steps): void {
	if (groupsPath === null) {
		steps.skip("groups", "Groups are not checked.");
		return;
	}
	const settings = [`${prefix}GROUPS_ATTRIBUTE_PATH`, `${prefix}ALLOWED_GROUPS`];
	const [variable = ""] = settings;
	const value = evaluate(groupsPath, variable, "groups", claims, steps);
	const groups = readGroups(value);
	const matching = groups.filter((group) => allowedGroups.has(group));
	const facts = [claimFact(groupsPath.text, value), claimFact("allowed groups", [...allowedGroups])];
	if (matching.length > 0) {
		steps.ok("groups", "One of the groups may sign in.", { facts: [...facts, claimFact("matching", matching)] });
		return;
	}
	throw steps.refuse(
		"groups",
		"auth_failed",
		groups.length === 0
			? `${variable} yields no groups on the claims, so that none is in ${settings[1]}: have the provider send them, or name the claim that has them.`
			: `None of the groups that ${variable} yields is in ${settings[1]}, compared exactly: add one there, or add the person to one of them.`,
		{ settings, facts },
	);
}

/** @throws SignInRefusal when strict and nothing stands for a role */
function getRole(provider: OAuth2Provider, claims: Claims, steps: Steps): OAuth2Identity["role"] {
	const { prefix, rolePath, roleMapping } = provider;
	const variable = `${prefix}ROLE_ATTRIBUTE_PATH`;
	const value = rolePath === null ? undefined : evaluate(rolePath, variable, "role", claims, steps);
	const forNew = decideRole(provider, value, true);
	const forExisting = decideRole(provider, value, false);
	const isUnknown = decideRole({ ...provider, roleStrict: true }, value, true) === "deny";
	const known = roleMapping === null ? "ADMIN, MEMBER and VIEWER" : `${prefix}ROLE_MAPPING`;
	const missed =
		roleText(value) === undefined
			? `${variable} yields no role on the claims`
			: `What ${variable} yields is not among ${known}`;
	const settings = isUnknown ? [variable, ...(roleMapping === null ? [] : [`${prefix}ROLE_MAPPING`])] : [];
	const facts = rolePath === null ? [] : [claimFact(rolePath.text, value)];
	if (forNew === "deny" || forNew === "keep" || forExisting === "deny") {
		throw steps.refuse(
			"role",
			"auth_failed",
			`${missed}, and ${prefix}ROLE_ATTRIBUTE_STRICT refuses people without a role.`,
			{ settings: [...settings, `${prefix}ROLE_ATTRIBUTE_STRICT`], facts },
		);
	}
	const gives = `new accounts get the role ${forNew}, ${forExisting === "keep" ? "existing ones keep theirs" : "existing ones too"}.`;
	if (isUnknown) steps.warn("role", `${missed}: ${gives}`, { settings, facts });
	else steps.ok("role", `By the settings ${gives}`, { facts });
	return { forNew, forExisting: forExisting === "keep" ? undefined : forExisting };
}

/** What an expression yields; a failed evaluation is noted, with the variable that sets the expression. */
function evaluate(expression: Expression, variable: string, step: StepName, claims: Claims, steps: Steps): unknown {
	return expression.search(claims, (problem) =>
		steps.warn(step, `${variable} could not be evaluated: ${problem}.`, { settings: [variable] }),
	);
}

function readEmail(value: unknown): string | undefined {
	return typeof value === "string" ? claimedEmail(value) : undefined;
}

/**
 * `true` counts only for the claim `email`, not for another address that the settings read instead. Anything else than
 * `true`, such as `FALSE` or 0, means no.
 */
function readEmailVerified(email: string, claims: Claims): boolean | undefined {
	const verified = claims["email_verified"] ?? undefined;
	if (verified === undefined) return undefined;
	if (verified !== true && !(typeof verified === "string" && verified.toLowerCase() === "true")) return false;
	return readEmail(claims["email"]) === email ? true : undefined;
}

function readGroups(value: unknown): readonly string[] {
	const items: readonly unknown[] = Array.isArray(value) ? value : [value];
	return items.flatMap((item) => {
		if (typeof item === "string") return item === "" ? [] : [item];
		return typeof item === "number" || typeof item === "boolean" ? [String(item)] : [];
	});
}

/** A fact about a claim that no expression has read, and that may nest too deep to be written out. */
function scalarFact(name: string, value: unknown): Fact {
	return claimFact(name, typeof value === "object" && value !== null ? "(no text)" : value);
}

function claimFact(name: string, value: unknown): Fact {
	return fact(name, typeof value === "string" ? value : (JSON.stringify(value) ?? "(nothing)"));
}
