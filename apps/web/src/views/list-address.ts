import type { ViewState } from "@spanward/client";

/** The parameters of a list's address. */
export type ListAddress = Readonly<Record<string, unknown>>;

/** Parts of a state by the parameter of the address that holds the same. */
export const SAME = {
	q: "q",
	filter: "filter",
	min: "min_latency_ms",
	max: "max_latency_ms",
	name: "name",
	user: "user_id",
	session: "session_id",
	model: "model",
	kind: "span_kind",
	sort: "sort",
	order: "order",
	state: "state",
	assignee: "assignee",
	release: "release",
	environment: "environment",
} as const satisfies Readonly<Record<string, keyof ViewState>>;

const PARAMETERS = [...Object.keys(SAME), "error", "error_kind", "cols", "from", "to"];

/** Whether an address says anything of what its list shows. */
export function hasState(address: ListAddress): boolean {
	return PARAMETERS.some((name) => address[name] !== undefined);
}

/** The address without all that a view saves. */
export function withoutState<Address extends ListAddress>(address: Address): Address {
	const left = Object.entries(address).filter(([name]) => !PARAMETERS.includes(name));
	return Object.fromEntries(left) as Address;
}
