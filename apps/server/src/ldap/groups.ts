import type { Filter } from "ldapts";
import type { Config } from "../config.ts";
import type { Steps } from "../sign-in/steps.ts";
import { rangeOf, textsOf } from "./attributes.ts";
import type { Connection } from "./connection.ts";
import { fact, ResultError } from "./failures.ts";
import { fillFilter } from "./filter.ts";
import type { Entry } from "./responses.ts";
import type { Groups } from "./roles.ts";

/** What a search needs to know of the library that writes requests. */
export type ToFilter = (text: string) => Filter;

const PAGE = 1_000;
const MAX_GROUPS = 10_000;
const DN_ATTRIBUTES = ["dn", "distinguishedname"];
const ANY = "(objectClass=*)";

/** The attribute of the user that the search for groups is made with; undefined where that is the name or the DN. */
export function groupUserAttribute(config: Config): string | undefined {
	const name = config.SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR;
	return name === null || DN_ATTRIBUTES.includes(name.toLowerCase()) ? undefined : name;
}

/**
 * The groups of a user, direct ones in member-of mode.
 * @param username as it is stored, or else as it was typed
 * @throws ServerFailure
 */
export async function readGroups(
	config: Config,
	connection: Connection,
	toFilter: ToFilter,
	{ entry, username }: { readonly entry: Entry; readonly username: string },
	steps: Steps,
): Promise<Groups> {
	const filter = config.SERVICE_LDAP_GROUP_SEARCH_FILTER;
	if (filter === null)
		return await readMemberOf(config.SERVICE_LDAP_ATTR_MEMBER_OF, connection, toFilter, entry, steps);
	const user = identifierOf(config, entry, username);
	if (user === undefined) {
		steps.warn("groups", "The user has no value by which SERVICE_LDAP_GROUP_SEARCH_FILTER could find groups.", {
			settings: ["SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR"],
		});
		return { dns: [], unread: [] };
	}
	return await searchGroups(
		config.SERVICE_LDAP_GROUP_SEARCH_BASE_DNS,
		fillFilter(filter, user),
		connection,
		toFilter,
		steps,
	);
}

function identifierOf(config: Config, entry: Entry, username: string): string | undefined {
	const name = config.SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR;
	if (name === null) return username;
	return DN_ATTRIBUTES.includes(name.toLowerCase()) ? entry.dn : textsOf(entry, name)[0];
}

async function searchGroups(
	bases: readonly string[],
	filter: string,
	connection: Connection,
	toFilter: ToFilter,
	steps: Steps,
): Promise<Groups> {
	const dns: string[] = [];
	const unread: string[] = [];
	for (const base of bases) {
		const facts = [fact("base", base), fact("filter", filter)];
		let cookie: Buffer | undefined;
		try {
			do {
				const page = { size: PAGE, cookie };
				const found = await connection.search(base, {
					scope: "sub",
					filter: toFilter(filter),
					attributes: ["1.1"],
					page,
				});
				dns.push(...found.entries.map(({ dn }) => dn));
				cookie = found.cookie;
				if (found.isCut || dns.length > MAX_GROUPS) {
					const text = "The directory did not give all groups below a base of SERVICE_LDAP_GROUP_SEARCH_BASE_DNS.";
					steps.fail("groups", text, { settings: ["SERVICE_LDAP_GROUP_SEARCH_FILTER"], facts });
					unread.push(base);
					break;
				}
			} while (cookie !== undefined);
		} catch (error) {
			if (!(error instanceof ResultError)) throw error;
			const text = "A base of SERVICE_LDAP_GROUP_SEARCH_BASE_DNS cannot be searched; groups below it are not known.";
			steps.fail("groups", text, {
				settings: ["SERVICE_LDAP_GROUP_SEARCH_BASE_DNS", "SERVICE_LDAP_BIND_DN"],
				facts: [...facts, ...error.facts],
			});
			unread.push(base);
		}
	}
	return { dns, unread };
}

async function readMemberOf(
	name: string,
	connection: Connection,
	toFilter: ToFilter,
	entry: Entry,
	steps: Steps,
): Promise<Groups> {
	const dns = textsOf(entry, name);
	let part = rangeOf(entry, name);
	while (part !== undefined) {
		dns.push(...part.values.map((value) => value.toString("utf8")));
		const { next } = part;
		if (next === undefined) break;
		part = dns.length > MAX_GROUPS ? undefined : await readPart(next);
		if (part === undefined || part.values.length === 0) {
			const settings = ["SERVICE_LDAP_ATTR_MEMBER_OF"];
			steps.fail("groups", `The directory did not give all values of ${name}.`, { settings });
			return { dns, unread: [""] };
		}
	}
	return { dns, unread: [] };

	async function readPart(start: number) {
		try {
			const attributes = [`${name};range=${start}-*`];
			const { entries } = await connection.search(entry.dn, { scope: "base", filter: toFilter(ANY), attributes });
			return entries[0] && rangeOf(entries[0], name);
		} catch (error) {
			if (error instanceof ResultError) return undefined;
			throw error;
		}
	}
}
