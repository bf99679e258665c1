import type { AuditEvent } from "@spanward/client";
import { keepPreviousData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { useIsNarrow, useIsPhone } from "../../../lib/media.ts";
import { usePageTitle } from "../../../lib/page-title.ts";
import { useShortcuts } from "../../../lib/shortcuts.tsx";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { DataGrid, GridEnd } from "../../../ui/data-grid.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { auditColumns } from "./audit-columns.tsx";
import { AuditEntry, AuditEntryAside } from "./audit-entry.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { auditPages } from "./audit-queries.ts";
import type { AuditSearch } from "./audit-search.ts";

const route = getRouteApi("/settings/audit");
const TEXTS = settingsTexts.audit;

export function AuditPage(): ReactNode {
	usePageTitle(texts.settings.audit, texts.settings.title);
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const query = useInfiniteQuery({ ...auditPages(search), placeholderData: keepPreviousData });
	const events = query.data?.pages.flatMap((page) => page.data) ?? [];
	const open = events.find((event) => event.id === search.entry);
	const isNarrow = useIsNarrow();
	const change = (next: AuditSearch) => {
		void navigate({ search: next, replace: true });
	};
	const close = () => {
		const { entry: _entry, ...rest } = search;
		change(rest);
	};
	useShortcuts({
		title: texts.shortcuts.list,
		shortcuts: [
			{ keys: ["r"], label: texts.shortcuts.refresh, run: () => void query.refetch() },
			{ keys: ["Escape"], label: texts.shortcuts.close, run: () => (open ? close() : false) },
		],
	});
	return (
		<>
			<div className="px-4 pt-4 pb-2">
				<h1 className="font-semibold text-xl">{texts.settings.audit}</h1>
				<p className="text-muted">{TEXTS.intro}</p>
			</div>
			<AuditFilters search={search} onChange={change} />
			{query.error && events.length === 0 ? (
				<ErrorState error={query.error} onRetry={() => void query.refetch()} />
			) : query.isPending ? (
				<SkeletonRows rows={20} className="overflow-hidden pt-8" />
			) : events.length === 0 ? (
				<NoEvents search={search} onClear={() => change({})} />
			) : (
				<div className="flex min-h-0 flex-1">
					<Events
						events={events}
						openKey={search.entry}
						onOpen={(event) => change({ ...search, entry: event.id })}
						query={query}
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

function Events({
	events,
	openKey,
	onOpen,
	query,
}: {
	events: readonly AuditEvent[];
	openKey: string | undefined;
	onOpen: (event: AuditEvent) => void;
	query: Pick<
		UseInfiniteQueryResult,
		"hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "error" | "fetchNextPage"
	>;
}): ReactNode {
	const [activeKey, setActiveKey] = useState(openKey);
	const isPhone = useIsPhone();
	useEffect(() => {
		if (openKey !== undefined) setActiveKey(openKey);
	}, [openKey]);
	return (
		<DataGrid
			label={TEXTS.label}
			columns={auditColumns(isPhone)}
			rows={events}
			rowKey={(event) => event.id}
			activeKey={activeKey}
			onActivate={(event) => {
				setActiveKey(event.id);
				// The details follow the keys once they are open.
				if (openKey !== undefined) onOpen(event);
			}}
			onOpen={onOpen}
			openKey={openKey}
			onEndReached={() => {
				if (query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError) void query.fetchNextPage();
			}}
			footer={
				<GridEnd
					count={events.length}
					hasMore={query.hasNextPage}
					isLoading={query.isFetchingNextPage}
					error={query.isFetchNextPageError ? query.error : null}
					onRetry={() => void query.fetchNextPage()}
				/>
			}
		/>
	);
}

function NoEvents({ search, onClear }: { search: AuditSearch; onClear: () => void }): ReactNode {
	const isFiltered = Object.keys(search).some((key) => key !== "entry");
	if (!isFiltered) return <EmptyState title={TEXTS.none} />;
	return <EmptyState title={TEXTS.noMatch} actions={<Button onClick={onClear}>{TEXTS.clear}</Button>} />;
}
