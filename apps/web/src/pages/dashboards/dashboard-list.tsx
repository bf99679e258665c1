import type { DashboardSummary } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, Suspense, useRef, useState } from "react";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { TypedSearch } from "../../ui/typed-search.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";
import { dashboardLink } from "./links.ts";
import { dashboardPages } from "./queries.ts";
import { useMayEdit } from "./use-may-edit.ts";

const NewDashboard = lazyPart(() => import("./new-dashboard.tsx"), "NewDashboard", { isOver: true });
const ImportDashboard = lazyPart(() => import("./import-dashboard.tsx"), "ImportDashboard", { isOver: true });

/** The dashboards of a project, or all. */
export function DashboardList({
	project,
	words,
	onWords,
}: {
	project: string | undefined;
	words: string | undefined;
	onWords: (words: string) => void;
}): ReactNode {
	const field = useRef<HTMLInputElement>(null);
	const mayEdit = useMayEdit(project);
	const navigate = useNavigate();
	const [open, setOpen] = useState<"new" | "import">();
	const query = useInfiniteQuery(dashboardPages(project, words));
	useTableKeys(query, { searchField: field });
	const show = (id: string) => void navigate(dashboardLink(id, project));
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className="mx-auto flex max-w-6xl flex-col">
				<div className="flex flex-wrap items-center gap-2 px-4 pt-4 pb-3">
					<h1 className="mr-2 font-semibold text-xl">{TEXTS.title}</h1>
					<TypedSearch label={TEXTS.search} words={words ?? ""} inputRef={field} onWords={onWords} />
					{mayEdit ? (
						<span className="ml-auto flex gap-2">
							<Button onClick={() => setOpen("import")}>{TEXTS.import}</Button>
							<Button look="primary" onClick={() => setOpen("new")}>
								<Plus size={14} aria-hidden />
								{TEXTS.create}
							</Button>
						</span>
					) : (
						<span className="ml-auto text-muted text-sm">{TEXTS.readOnly}</span>
					)}
				</div>
				<Loaded data={query.data} query={query}>
					{(data) => {
						const rows = data.pages.flatMap((page) => page.data);
						if (rows.length === 0)
							return (
								<EmptyState
									title={TEXTS.noMatch}
									actions={<Button onClick={() => onWords("")}>{TEXTS.showAll}</Button>}
								/>
							);
						return (
							<div className="px-2">
								<Table label={TEXTS.list} columns={columnsOf(project)} rows={rows} rowKey={({ id }) => id} />
								<MoreRows query={query} what={TEXTS.more} />
							</div>
						);
					}}
				</Loaded>
			</div>
			<Suspense>
				{open === "new" && <NewDashboard project={project} onMade={show} onClose={() => setOpen(undefined)} />}
				{open === "import" && <ImportDashboard project={project} onMade={show} onClose={() => setOpen(undefined)} />}
			</Suspense>
		</div>
	);
}

function columnsOf(project: string | undefined): TableColumn<DashboardSummary>[] {
	return [
		{
			key: "name",
			title: TEXTS.column.name,
			cell: ({ id, name, description }) => (
				<>
					<Link
						{...dashboardLink(id, project)}
						className="block truncate font-medium hover:text-accent hover:underline"
					>
						{name}
					</Link>
					{description && <span className="block truncate text-muted">{description}</span>}
				</>
			),
		},
		{
			key: "visibility",
			title: TEXTS.column.visibility,
			className: "w-28 max-sm:hidden",
			cell: ({ is_built_in, visibility }) => (
				<span className="text-muted">
					{is_built_in ? TEXTS.builtIn : visibility === "private" ? TEXTS.private : TEXTS.shared}
				</span>
			),
		},
		{
			key: "widgets",
			title: TEXTS.column.widgets,
			align: "right",
			className: "w-24 max-sm:hidden",
			cell: ({ widget_count }) => widget_count,
		},
		{
			key: "changed",
			title: TEXTS.column.changed,
			align: "right",
			className: "w-36",
			cell: ({ updated_at, updated_by }) =>
				updated_at !== null && (
					<>
						<RelativeTime time={updated_at} />
						{updated_by && <span className="block truncate text-muted">{TEXTS.by(updated_by.username)}</span>}
					</>
				),
		},
	];
}
