import { decode } from "./postgres-url.ts";
import { items } from "./value-kinds.ts";

/** What the addresses of ClickHouse's nodes say; members are absent where they say nothing. */
export interface ClickHouseUrl {
	/** Of each shard the replicas, in the order of preference, without user and password. */
	readonly shards: readonly (readonly URL[])[];
	readonly user?: string;
	readonly password?: string;
}

const MOST_ADDRESSES = 64;
const LIKE_AN_ADDRESS = "http://clickhouse.example:8123 or https://user:password@clickhouse.example:8443";
const ENCODING = "in user and password, percent-encode everything but letters and digits, such as %40 for @";

/**
 * Reads `http(s)://[user:password@]host:port[/path]` of each replica, separated by commas, and those of each shard by
 * semicolons. All have the same account, which need not be repeated.
 * @returns the problems when there are any, each to follow the name of the variable; none shows user or password
 */
export function parseClickHouseUrl(text: string): ClickHouseUrl | readonly string[] {
	// One behind the last shard ends the list, as a comma behind the last replica does.
	const texts = text.trim().replace(/;$/, "").split(";").map(items);
	const count = texts.flat().length;
	if (count === 0) return [`must be like ${LIKE_AN_ADDRESS}`];
	if (count > MOST_ADDRESSES) return [`names ${count} addresses; at most ${MOST_ADDRESSES} are supported`];
	if (texts.some((ofShard) => ofShard.length === 0))
		return ["has a shard without an address: semicolons separate shards (one in a password is %3B)"];
	const problems: string[] = [];
	let number = 0;
	const shards = texts.map((ofShard) =>
		ofShard.flatMap((each) => {
			number += 1;
			const wrong: string[] = [];
			const address = parseAddress(each, wrong);
			const which = count === 1 ? "" : ` (address ${number})`;
			problems.push(...wrong.map((problem) => `${problem}${which}`));
			return address === undefined ? [] : [address];
		}),
	);
	if (problems.length > 0) return problems;
	const addresses = shards.flat();
	const replicas = addresses.map(({ url }) => url);
	const users = new Set(addresses.flatMap(({ user }) => user ?? []));
	const passwords = new Set(addresses.flatMap(({ password }) => password ?? []));
	if (new Set(replicas.map(({ protocol }) => protocol)).size > 1)
		problems.push("has addresses with http and others with https: use one of them");
	if (new Set(replicas.map(({ href }) => href)).size < replicas.length)
		problems.push("names the same address twice: each replica of each shard has its own");
	if (users.size > 1 || passwords.size > 1)
		problems.push("has different users or passwords: all nodes are asked with the same account");
	if (problems.length > 0) return problems;
	const [user] = users;
	const [password] = passwords;
	return {
		shards: shards.map((ofShard) => ofShard.map(({ url }) => url)),
		...(user === undefined ? {} : { user }),
		...(password === undefined ? {} : { password }),
	};
}

interface Address {
	readonly url: URL;
	readonly user?: string;
	readonly password?: string;
}

/** Adds at most one problem. */
function parseAddress(text: string, problems: string[]): Address | undefined {
	const wrong = (problem: string) => {
		problems.push(problem);
		return undefined;
	};
	const [, authority] = /^https?:\/\/([^/\\?#]+)/i.exec(text) ?? [];
	if (authority === undefined)
		return wrong(`must be like ${LIKE_AN_ADDRESS}: the address of ClickHouse's HTTP interface`);
	const url = URL.canParse(text) ? new URL(text) : undefined;
	// The rest of a password that has a / or # is in the path or behind it.
	if (url === undefined || url.pathname.includes("@") || url.hash !== "")
		return wrong(`must be like ${LIKE_AN_ADDRESS}; ${ENCODING}`);
	if (url.search !== "")
		return wrong(`has parameters, which are not supported: other settings are for them; ${ENCODING}`);
	if (!/:0*[1-9]\d*$/.test(authority))
		return wrong("names no port: by default ClickHouse listens on 8123 for http and on 8443 for https");
	const user = decode(url.username, problems);
	const password = decode(url.password, problems);
	if (problems.length > 0) return void problems.splice(1);
	url.username = "";
	url.password = "";
	return { url, ...(user === "" ? {} : { user }), ...(password === "" ? {} : { password }) };
}
