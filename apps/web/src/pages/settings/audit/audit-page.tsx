import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { useIsNarrow, useIsPhone } from "../../../lib/media.ts";
import { usePageTitle } from "../../../lib/page-title.ts";
import { auditTexts } from "../../../texts/audit-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { DataGrid } from "../../../ui/data-grid.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { useGridKeys } from "../../../ui/list-keys.ts";
import { gridPages } from "../../../ui/list-pages.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { auditColumns } from "./audit-columns.tsx";
import { AuditEntry, AuditEntryAside } from "./audit-entry.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { auditPages } from "./audit-queries.ts";
import type { AuditSearch } from "./audit-search.ts";

const route = getRouteApi("/settings/audit");
const TEXTS = auditTexts;

export function AuditPage(): ReactNode {
	usePageTitle(texts.settings.audit, texts.settings.title);
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const query = useInfiniteQuery({ ...auditPages(search), placeholderData: keepPreviousData });
	const events = query.data?.pages.flatMap((page) => page.data) ?? [];
	const open = events.find((event) => event.id === search.entry);
	const isNarrow = useIsNarrow();
	const isPhone = useIsPhone();
	const person = useRef<HTMLInputElement>(null);
	const change = (next: AuditSearch) => {
		void navigate({ search: next, replace: true });
	};
	const close = () => {
		const { entry: _entry, ...rest } = search;
		change(rest);
	};
	const { grid } = useGridKeys({
		rows: events,
		rowKey: (event) => event.id,
		openKey: search.entry,
		onOpen: (event) => change({ ...search, entry: event.id }),
		onRefresh: () => query.refetch(),
		searchField: person,
		more: () => [{ keys: ["Escape"], label: texts.shortcuts.close, run: () => (open ? close() : false) }],
	});
	return (
		<>
			<div className="px-4 pt-4 pb-2">
				<h1 className="font-semibold text-xl">{texts.settings.audit}</h1>
				<p className="text-muted">{TEXTS.intro}</p>
			</div>
			<AuditFilters search={search} onChange={change} personRef={person} />
			{query.error && events.length === 0 ? (
				<ErrorState error={query.error} onRetry={() => void query.refetch()} />
			) : query.isPending ? (
				<SkeletonRows rows={20} className="overflow-hidden pt-8" />
			) : events.length === 0 ? (
				<NoEvents search={search} onClear={() => change({})} />
			) : (
				<div className="flex min-h-0 flex-1">
					<DataGrid
						label={TEXTS.label}
						columns={auditColumns(isPhone)}
						{...grid}
						{...gridPages(query, events.length)}
					/>
					{open && !isNarrow && <AuditEntryAside event={open} onClose={close} />}
					{open && isNarrow && (
						<Dialog open onOpenChange={close} title={TEXTS.details}>
							<div className="overflow-auto p-4">
								<AuditEntry event={open} />
							</div>
						</Dialog>
					)}
				</div>
			)}
		</>
	);
}

function NoEvents({ search, onClear }: { search: AuditSearch; onClear: () => void }): ReactNode {
	const isFiltered = Object.keys(search).some((key) => key !== "entry");
	if (!isFiltered) return <EmptyState title={TEXTS.none} />;
	return <EmptyState title={TEXTS.noMatch} actions={<Button onClick={onClear}>{TEXTS.clear}</Button>} />;
}
