import type { View } from "@spanward/client";
import { config } from "../lib/config.ts";
import { stringifySearch } from "../lib/search-params.ts";
import { type ListAddress, withoutState } from "./list-address.ts";
import { toParameters, usualRange } from "./list-state.ts";
import type { ListView } from "./use-list-view.ts";

/** The address of a list that shows a view, with what else the address says, such as an open trace. */
export function withView(address: ListAddress, view: View): ListAddress {
	const { view: _rows, saved: _saved, ...rest } = withoutState(address);
	return {
		...rest,
		...(view.page === "spans" ? { view: "spans" } : {}),
		...toParameters(view.page, view.state),
		saved: view.id,
	};
}

/** The address without a view; the range is said, so that no default view is opened instead. */
export function withoutView({ page, address }: Pick<ListView, "page" | "address">): ListAddress {
	const { saved: _saved, ...rest } = address;
	return { from: usualRange(page), ...rest };
}

/** The link that opens a view, whatever it will have saved by then. */
export function linkTo(project: string, view: View): string {
	const path = `/p/${encodeURIComponent(project)}/${view.page === "spans" ? "traces" : view.page}`;
	return `${location.origin}${config.basePath}${path}${stringifySearch({ view: view.id })}`;
}
