import type { Filter } from "ldapts";
import type { Config } from "#base/config.ts";
import { canonicalDn } from "#base/ldap-syntax/dn.ts";
import { fillFilter } from "#base/ldap-syntax/filter.ts";
import { fact } from "../sign-in/facts.ts";
import type { Steps } from "../sign-in/steps.ts";
import { rangeOf, textsOf } from "./attributes.ts";
import type { Connection } from "./connection.ts";
import { CODE, ResultError } from "./failures.ts";
import type { Entry } from "./responses.ts";
import { type Groups, isBelow } from "./roles.ts";

/** The library's function that parses a filter for a request. */
export type ToFilter = (text: string) => Filter;

const PAGE = 1_000;
const MAX_GROUPS = 10_000;
const DN_ATTRIBUTES = ["dn", "distinguishedname"];
const ANY = "(objectClass=*)";
/** RFC 4511, 4.5.1.8 */
const NO_ATTRIBUTES = ["1.1"];

/** The attribute of the user whose value the search for groups uses; undefined if that is the name or the DN. */
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
	return await new GroupSearch(config, connection, toFilter(fillFilter(filter, user)), steps).read();
}

function identifierOf(config: Config, entry: Entry, username: string): string | undefined {
	const name = config.SERVICE_LDAP_GROUP_SEARCH_FILTER_USER_ATTR;
	if (name === null) return username;
	return DN_ATTRIBUTES.includes(name.toLowerCase()) ? entry.dn : textsOf(entry, name)[0];
}

class GroupSearch {
	readonly #config: Config;
	readonly #connection: Connection;
	readonly #filter: Filter;
	readonly #steps: Steps;

	constructor(config: Config, connection: Connection, filter: Filter, steps: Steps) {
		this.#config = config;
		this.#connection = connection;
		this.#filter = filter;
		this.#steps = steps;
	}

	async read(): Promise<Groups> {
		const dns: string[] = [];
		const unread: string[] = [];
		for (const base of this.#config.SERVICE_LDAP_GROUP_SEARCH_BASE_DNS) {
			try {
				dns.push(...(await this.#search(base)));
			} catch (error) {
				if (!(error instanceof ResultError)) throw error;
				unread.push(base);
				const text = "A base of SERVICE_LDAP_GROUP_SEARCH_BASE_DNS cannot be searched; groups below it are not known.";
				this.#steps.fail("groups", text, {
					settings: ["SERVICE_LDAP_GROUP_SEARCH_BASE_DNS", "SERVICE_LDAP_BIND_DN"],
					facts: [fact("base", base), ...error.facts],
				});
			}
		}
		return { dns, unread };
	}

	/** @throws ResultError */
	async #search(base: string): Promise<string[]> {
		const dns: string[] = [];
		let cookie: Buffer | undefined;
		do {
			const found = await this.#connection.search(base, {
				scope: "sub",
				filter: this.#filter,
				attributes: NO_ATTRIBUTES,
				page: { size: PAGE, cookie },
			});
			dns.push(...found.entries.map(({ dn }) => dn));
			if (found.isCut || dns.length > MAX_GROUPS) {
				const text =
					"The directory does not give all groups of the user: those of the mappings were asked for one by one.";
				this.#steps.warn("groups", text, {
					settings: ["SERVICE_LDAP_GROUP_SEARCH_FILTER"],
					facts: [fact("base", base)],
				});
				return [...dns.slice(0, MAX_GROUPS), ...(await this.#searchMapped(base))];
			}
			cookie = found.cookie;
		} while (cookie !== undefined);
		return dns;
	}

	/** The user's groups among those that have a role. @throws ResultError */
	async #searchMapped(base: string): Promise<string[]> {
		const place = canonicalDn(base) ?? "";
		const mapped = this.#config.SERVICE_LDAP_GROUP_ROLE_MAPPINGS.map(({ groupDn }) => groupDn);
		const dns: string[] = [];
		for (const dn of new Set(mapped.filter((dn) => isBelow(canonicalDn(dn) ?? "", place)))) {
			if (await this.#holds(dn)) dns.push(dn);
		}
		return dns;
	}

	async #holds(dn: string): Promise<boolean> {
		try {
			const options = { scope: "base", filter: this.#filter, attributes: NO_ATTRIBUTES } as const;
			return (await this.#connection.search(dn, options)).entries.length > 0;
		} catch (error) {
			if (error instanceof ResultError && error.code === CODE.noSuchObject) return false;
			throw error;
		}
	}
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
