import type { Project } from "@spanward/client";
import { Link, useNavigate } from "@tanstack/react-router";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import type { MouseEvent, ReactNode } from "react";
import { formatCompact, formatCost, formatDuration, formatInteger, formatPercent, UNKNOWN } from "../../lib/format.ts";
import { projectSlug } from "../../lib/project-slug.ts";
import { texts } from "../../texts/en.ts";
import { projectAccessTexts } from "../../texts/project-access-en.ts";
import { projectsTexts } from "../../texts/projects-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RestrictedLock } from "../../ui/restricted-lock.tsx";
import { asksForTab, offerLink, openInTab, rowLink } from "../../ui/row-link.ts";
import { Sparkline } from "../../ui/sparkline.tsx";
import { orderOf, type ProjectSort, type ProjectsSearch } from "./search.ts";

const HEAD = "h-8 px-2 font-normal text-muted text-sm";
const NUMBER = "px-2 text-right whitespace-nowrap";

export interface Sorting {
	readonly sorting: Pick<ProjectsSearch, "sort" | "order">;
	readonly onSort: (sort: ProjectSort) => void;
}

/** Which rows are selected, by their ids. */
export interface RowSelection {
	readonly selected: ReadonlySet<string>;
	readonly onSelect: (ids: ReadonlySet<string>) => void;
}

/** Whether the reader may set who sees the project. */
export function isManaged(project: Project): boolean {
	return project.own_role === "manager";
}

export function ProjectTable({
	projects,
	selection,
	...head
}: Sorting & { projects: readonly Project[]; selection: RowSelection }): ReactNode {
	const column = projectsTexts.column;
	const managed = projects.filter(isManaged).map(({ id }) => id);
	const isAll = managed.length > 0 && managed.every((id) => selection.selected.has(id));
	return (
		<div className="overflow-x-auto px-2">
			<table className="w-full border-collapse">
				<caption className="sr-only">{column.day}</caption>
				<thead>
					<tr className="border-line border-b">
						{managed.length > 0 && (
							<th scope="col" className="w-8">
								<Tick
									label={projectAccessTexts.selectAll}
									isOn={isAll}
									onChange={() => selection.onSelect(new Set(isAll ? [] : managed))}
								/>
							</th>
						)}
						<SortHead {...head} sort="name" title={column.name} className="w-2/5 text-left" />
						<th scope="col" className={classNames(HEAD, "text-left max-sm:hidden")} title={column.day}>
							{column.traffic}
						</th>
						<SortHead {...head} sort="span_count" title={column.spans} />
						<SortHead {...head} sort="error_rate" title={column.errors} />
						<SortHead {...head} sort="latency_p95" title={column.latency} className="text-right max-sm:hidden" />
						<SortHead {...head} sort="token_count_total" title={column.tokens} className="text-right max-sm:hidden" />
						<SortHead {...head} sort="total_cost" title={column.cost} className="text-right max-sm:hidden" />
						<SortHead {...head} sort="newest_trace_start_time" title={column.last} />
					</tr>
				</thead>
				<tbody>
					{projects.map((project) => (
						<ProjectRow key={project.id} project={project} selection={managed.length > 0 ? selection : undefined} />
					))}
				</tbody>
			</table>
		</div>
	);
}

/** The title of a column, by which a click sorts, another one the other way, and a third by creation again. */
function SortHead({
	sort,
	title,
	sorting,
	onSort,
	className = "text-right",
}: Sorting & { sort: ProjectSort; title: string; className?: string }): ReactNode {
	const order = sorting.sort === sort ? orderOf(sorting) : undefined;
	const Arrow = order === "asc" ? ArrowUp : ArrowDown;
	return (
		<th scope="col" aria-sort={order === undefined ? "none" : `${order}ending`} className={classNames(HEAD, className)}>
			<button
				type="button"
				title={texts.traces.sortedBy(title)}
				onClick={() => onSort(sort)}
				className={classNames("inline-flex min-h-6 items-center gap-0.5 hover:text-ink", order && "text-ink")}
			>
				{title}
				{order && <Arrow size={12} aria-hidden className="shrink-0" />}
			</button>
		</th>
	);
}

function Tick({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: () => void }): ReactNode {
	return (
		<label className="relative z-10 flex size-6 items-center justify-center pointer-coarse:size-11">
			<input type="checkbox" aria-label={label} checked={isOn} onChange={onChange} />
		</label>
	);
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
	const next = new Set(ids);
	if (!next.delete(id)) next.add(id);
	return next;
}

function ProjectRow({ project, selection }: { project: Project; selection: RowSelection | undefined }): ReactNode {
	const navigate = useNavigate();
	const { activity } = project;
	const params = { project: projectSlug(project) };
	return (
		<tr
			data-row
			className="group/row relative h-11 cursor-default border-line border-b hover:bg-hover"
			onPointerDown={offerLink}
			onMouseDown={(event) => event.button === 1 && event.preventDefault()}
			onAuxClick={(event) => {
				if (event.button === 1 && !isOnLink(event)) openInTab(event.currentTarget);
			}}
			onClick={(event) => {
				if (isOnLink(event)) return;
				if (asksForTab(event)) return openInTab(event.currentTarget);
				void navigate({ to: "/p/$project/traces", params });
			}}
		>
			{selection && (
				<td className="w-8">
					{isManaged(project) && (
						<Tick
							label={projectAccessTexts.select(project.name)}
							isOn={selection.selected.has(project.id)}
							onChange={() => selection.onSelect(toggled(selection.selected, project.id))}
						/>
					)}
				</td>
			)}
			<td className="max-w-0 px-2">
				<div className="flex items-center gap-1.5">
					<Link
						to="/p/$project/traces"
						params={params}
						{...rowLink("block truncate font-medium hover:text-accent")}
						tabIndex={0}
					>
						{project.name}
					</Link>
					<RestrictedLock access={project.access} />
				</div>
				{project.description && <p className="truncate text-muted text-sm">{project.description}</p>}
			</td>
			<td className="w-48 px-2 max-sm:hidden">
				{activity && (
					<Sparkline
						label={projectsTexts.sparkline(project.name, formatInteger(sum(activity.span_counts)))}
						values={activity.span_counts}
						errors={activity.error_counts}
					/>
				)}
			</td>
			{activity && <Numbers activity={activity} />}
		</tr>
	);
}

function isOnLink({ target }: MouseEvent): boolean {
	return target instanceof Element && target.closest("a, label") !== null;
}

function sum(counts: readonly number[]): number {
	return counts.reduce((total, count) => total + count, 0);
}

function Numbers({ activity }: { activity: NonNullable<Project["activity"]> }): ReactNode {
	const [spans, errors] = [sum(activity.span_counts), sum(activity.error_counts)];
	const {
		token_count_total: tokens,
		total_cost: cost,
		latency_ms: latency,
		newest_trace_start_time: newest,
	} = activity;
	const quiet = spans === 0;
	return (
		<>
			<td className={NUMBER} title={formatInteger(spans)}>
				{quiet ? <span className="text-muted">{UNKNOWN}</span> : formatCompact(spans)}
			</td>
			<td className={classNames(NUMBER, errors > 0 && "text-danger")} title={formatInteger(errors)}>
				{quiet ? <span className="text-muted">{UNKNOWN}</span> : formatPercent(errors / spans)}
			</td>
			<td className={classNames(NUMBER, "max-sm:hidden")}>
				{latency === null ? <span className="text-muted">{UNKNOWN}</span> : formatDuration(latency.p95)}
			</td>
			<td className={classNames(NUMBER, "max-sm:hidden")} title={formatInteger(tokens)}>
				{tokens === 0 ? <span className="text-muted">{UNKNOWN}</span> : formatCompact(tokens)}
			</td>
			<td className={classNames(NUMBER, "max-sm:hidden")}>
				{cost === 0 ? <span className="text-muted">{UNKNOWN}</span> : formatCost(cost)}
			</td>
			<td className={NUMBER}>
				{newest === null ? (
					<span className="text-muted">{projectsTexts.noTraces}</span>
				) : (
					<RelativeTime time={newest} />
				)}
			</td>
		</>
	);
}
