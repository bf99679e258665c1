import type { View } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { hasState, type ListAddress, withoutState } from "./list-address.ts";
import { isAsSaved, toParameters, usualRange, type ViewPage } from "./list-state.ts";
import { defaultViewsQuery, viewQuery } from "./queries.ts";

/** The saved view that a list shows, and how the address stands to it. */
export interface ListView {
	readonly page: ViewPage;
	readonly project: string;
	/** The open one; undefined while it loads, too. */
	readonly view: View | undefined;
	/** Whether the address shows something else than the open view. */
	readonly isEdited: boolean;
	/** False while it is not known yet what the list is to show. */
	readonly isSettled: boolean;
	/** Why the view that the address names is not there. */
	readonly error: Error | null;
	/** What the address says now. */
	readonly address: ListAddress;
}

type ListRoute = "/p/$project/traces" | "/p/$project/sessions" | "/p/$project/users" | "/p/$project/errors";

/** Where the lists are. */
const ROUTES: Readonly<Record<ViewPage, ListRoute>> = {
	traces: "/p/$project/traces",
	spans: "/p/$project/traces",
	sessions: "/p/$project/sessions",
	users: "/p/$project/users",
	errors: "/p/$project/errors",
};

/**
 * Opens the view that the address names, or else the project's default view where the address says nothing. What a view
 * saved is written into the address, so that Back and Forward restore what was there, whatever becomes of the view.
 */
export function useListView(project: string, page: ViewPage, address: ListAddress): ListView {
	const navigate = useNavigate();
	const saved = typeof address["saved"] === "string" ? address["saved"] : undefined;
	const isBare = !hasState(address);
	const here = `${project} ${page}`;
	const [settled, setSettled] = useState<{ readonly at: string; readonly saved: string | undefined }>();
	// Whoever takes everything out of the address wants to see everything.
	const isCleared = isBare && settled?.at === here && (saved === undefined || settled.saved === saved);
	const defaults = useQuery({ ...defaultViewsQuery(project), enabled: saved === undefined && isBare });
	const ofProject = defaults.data?.[page] ?? undefined;
	const wanted = saved ?? (isBare && !isCleared ? ofProject : undefined);
	const { data: view, error } = useQuery({ ...viewQuery(wanted ?? ""), enabled: wanted !== undefined });
	const isOpen = view !== undefined && view.id === wanted;
	const isElsewhere = isOpen && view.page !== page;
	const isAsking = saved === undefined && defaults.isPending;
	const isLoading = isBare && !isCleared && (isAsking || (wanted !== undefined && error === null));
	const needsRange = isCleared && (saved !== undefined || ofProject !== undefined);

	useEffect(() => {
		const replace = (search: ListAddress, to: ListRoute | "." = ".") =>
			// What a state holds fits the list that it is of; what does not, is left out as in any address.
			void navigate({ to, params: { project }, search: () => search as never, replace: true });
		if (needsRange) replace({ ...address, from: usualRange(page) });
		else if (isOpen && (isElsewhere || (isBare && !isCleared))) {
			const { view: _rows, ...rest } = address;
			const shown = isBare ? { ...withoutState(rest), ...toParameters(view.page, view.state) } : rest;
			const rows = view.page === "spans" ? { view: "spans" } : {};
			replace({ ...shown, ...rows, saved: view.id }, isElsewhere ? ROUTES[view.page] : ".");
		} else if (!isLoading && (settled?.at !== here || settled.saved !== saved)) setSettled({ at: here, saved });
	});

	const shown = saved !== undefined && isOpen && !isElsewhere ? view : undefined;
	return {
		page,
		project,
		view: shown,
		isEdited: shown !== undefined && !isBare && !isAsSaved(page, address, shown.state),
		isSettled: !isLoading && !isElsewhere,
		error: saved === undefined ? null : error,
		address,
	};
}
