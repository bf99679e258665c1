import { type LookupAddress, lookup as lookUpByDns } from "node:dns";
import type { LookupFunction } from "node:net";

/** What a name resolves to at this moment. */
export type Resolver = (
	host: string,
	callback: (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void,
) => void;

/**
 * A lookup for connections: Node connects to the addresses that it yields, so that a name cannot resolve to another one
 * between the check and the connection.
 * @param choose returns those of the addresses to which a connection may be made; what it throws fails the connection
 */
export function checkedLookup(
	choose: (host: string, found: readonly LookupAddress[]) => readonly LookupAddress[],
	resolve?: Resolver,
): LookupFunction {
	return (host, options, callback) => {
		const find: Resolver = resolve ?? ((name, answer) => lookUpByDns(name, { ...options, all: true }, answer));
		find(host, (error, found) => {
			if (error !== null) return callback(error, []);
			try {
				const chosen = choose(host, found);
				const [first] = chosen;
				if (first === undefined) throw new Error(`No address of ${host} may be connected to.`);
				if (options.all === true) callback(null, [...chosen]);
				else callback(null, first.address, first.family);
			} catch (refused) {
				callback(refused instanceof Error ? refused : new Error("refused", { cause: refused }), []);
			}
		});
	};
}
