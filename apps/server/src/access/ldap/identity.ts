import type { Config } from "#base/config.ts";
import { claimedEmail } from "#base/email.ts";
import { cleanUsername } from "#base/username.ts";
import type { LdapIdentity } from "../external-accounts/identity.ts";
import { fact } from "../sign-in/facts.ts";
import type { Steps } from "../sign-in/steps.ts";
import { textsOf, uniqueIdOf, valuesOf } from "./attributes.ts";
import { groupUserAttribute } from "./groups.ts";
import { comparedAttributes, foldName } from "./names.ts";
import type { Entry } from "./responses.ts";

const MAX_EMAILS = 100;
const MAX_UNIQUE_ID = 256;

/** The attributes that are read of a user's entry. */
export function wantedAttributes(config: Config): string[] {
	const names = [
		config.SERVICE_LDAP_ATTR_EMAIL,
		config.SERVICE_LDAP_ATTR_DISPLAY_NAME,
		config.SERVICE_LDAP_ATTR_MEMBER_OF,
		config.SERVICE_LDAP_ATTR_UNIQUE_ID,
		groupUserAttribute(config),
		...comparedAttributes(config.SERVICE_LDAP_USER_SEARCH_FILTER),
	];
	return [...new Set(names.filter((name) => name !== null && name !== undefined))];
}

/** The user's name as the directory has it, if the compared attribute is known; else as it was typed. */
export function storedName(config: Config, entry: Entry, typed: string): string {
	const names = comparedAttributes(config.SERVICE_LDAP_USER_SEARCH_FILTER).flatMap((name) => textsOf(entry, name));
	const folded = foldName(typed);
	return names.find((name) => foldName(name) === folded) ?? typed;
}

/**
 * Who an entry is, without their role.
 * @throws SignInRefusal when a required attribute is missing
 */
export function readPerson(config: Config, entry: Entry, typed: string, steps: Steps): Omit<LdapIdentity, "role"> {
	const uniqueId = readUniqueId(config, entry, steps);
	const emails = readEmails(config, entry, uniqueId !== undefined, steps);
	const [shown = ""] = textsOf(entry, config.SERVICE_LDAP_ATTR_DISPLAY_NAME).map(cleanUsername);
	const name = shown === "" ? cleanUsername(typed) : shown;
	steps.ok("attributes", "The user's entry has what is needed.", {
		facts: [
			fact("display name", name),
			...(uniqueId === undefined ? [] : [fact("unique id", uniqueId)]),
			...emails.map((email) => fact("email", email)),
		],
	});
	return { method: "LDAP", emails, uniqueId, name };
}

function readUniqueId(config: Config, entry: Entry, steps: Steps): string | undefined {
	const attribute = config.SERVICE_LDAP_ATTR_UNIQUE_ID;
	if (attribute === null) return undefined;
	const settings = ["SERVICE_LDAP_ATTR_UNIQUE_ID"];
	const [value, ...others] = valuesOf(entry, attribute);
	const uniqueId = value && uniqueIdOf(attribute, value);
	if (uniqueId === undefined) {
		const text = `The user's entry has no ${attribute}, or the service account may not read it.`;
		throw steps.refuse("attributes", "invalid_login", text, { settings });
	}
	if (others.length > 0 || uniqueId.length > MAX_UNIQUE_ID) {
		const text = `The value of ${attribute} in the user's entry identifies nobody: it has several values, or a very long one.`;
		throw steps.refuse("attributes", "invalid_login", text, { settings });
	}
	return uniqueId;
}

function readEmails(config: Config, entry: Entry, hasUniqueId: boolean, steps: Steps): string[] {
	const attribute = config.SERVICE_LDAP_ATTR_EMAIL;
	if (attribute === null || attribute === undefined) return [];
	const values = textsOf(entry, attribute)
		.map((value) => value.trim())
		.filter((value) => value !== "");
	// Without an identifier the email is the identity; people may be able to add further emails to their own entry.
	const emails = values
		.slice(0, hasUniqueId ? MAX_EMAILS : 1)
		.map(claimedEmail)
		.filter((email) => email !== undefined);
	if (emails.length > 0) return [...new Set(emails)];
	const text =
		values.length === 0
			? `The user's entry has no ${attribute}, or the service account may not read it.`
			: `The value of ${attribute} in the user's entry is not an email address.`;
	const facts = values.slice(0, 1).map((value) => fact(attribute, value));
	throw steps.refuse("email", "invalid_login", text, { settings: ["SERVICE_LDAP_ATTR_EMAIL"], facts });
}
