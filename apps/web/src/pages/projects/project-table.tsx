import type { Project } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { formatCompact, formatCost, formatInteger, formatPercent, UNKNOWN } from "../../lib/format.ts";
import { projectSlug } from "../../lib/project-slug.ts";
import { texts } from "../../texts/en.ts";
import { classNames } from "../../ui/class-names.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { asksForTab, offerLink, openInTab, rowLink } from "../../ui/row-link.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { activityQuery, type ProjectActivity } from "./queries.ts";

const HEAD = "h-8 px-2 font-normal text-muted text-sm";
const NUMBER = "px-2 text-right whitespace-nowrap";
const REFRESH_MS = 30_000;

export function ProjectTable({ projects }: { projects: readonly Project[] }): ReactNode {
	const column = texts.projects.column;
	return (
		<div className="overflow-x-auto px-2">
			<table className="w-full border-collapse">
				<caption className="sr-only">{column.day}</caption>
				<thead>
					<tr className="border-line border-b">
						<th scope="col" className={classNames(HEAD, "w-2/5 text-left")}>
							{column.name}
						</th>
						<th scope="col" className={classNames(HEAD, "text-left max-sm:hidden")} title={column.day}>
							{column.traffic}
						</th>
						<th scope="col" title={column.day} className={classNames(HEAD, "text-right")}>
							{column.spans}
						</th>
						<th scope="col" title={column.day} className={classNames(HEAD, "text-right")}>
							{column.errors}
						</th>
						<th scope="col" title={column.day} className={classNames(HEAD, "text-right max-sm:hidden")}>
							{column.tokens}
						</th>
						<th scope="col" title={column.day} className={classNames(HEAD, "text-right max-sm:hidden")}>
							{column.cost}
						</th>
						<th scope="col" className={classNames(HEAD, "text-right")}>
							{column.last}
						</th>
					</tr>
				</thead>
				<tbody>
					{projects.map((project) => (
						<ProjectRow key={project.id} project={project} />
					))}
				</tbody>
			</table>
		</div>
	);
}

/** A row of the table, which requests the project's numbers when it comes into view. */
function ProjectRow({ project }: { project: Project }): ReactNode {
	const row = useRef<HTMLTableRowElement>(null);
	const seen = useSeen(row);
	const navigate = useNavigate();
	const { data, error } = useQuery({ ...activityQuery(project.id, REFRESH_MS), enabled: seen });
	const params = { project: projectSlug(project) };
	return (
		<tr
			ref={row}
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
			<td className="max-w-0 px-2">
				<Link
					to="/p/$project/traces"
					params={params}
					{...rowLink("block truncate font-medium hover:text-accent")}
					tabIndex={0}
				>
					{project.name}
				</Link>
				{project.description && <p className="truncate text-muted text-sm">{project.description}</p>}
			</td>
			<td className="w-48 px-2 max-sm:hidden">
				{data && (
					<Sparkline
						label={texts.projects.sparkline(project.name, formatInteger(data.spans))}
						values={data.spansPerHour}
						errors={data.errorsPerHour}
					/>
				)}
			</td>
			<Numbers data={data} failed={error !== null} />
		</tr>
	);
}

function isOnLink({ target }: MouseEvent): boolean {
	return target instanceof Element && target.closest("a") !== null;
}

function Numbers({ data, failed }: { data: ProjectActivity | undefined; failed: boolean }): ReactNode {
	if (!data) {
		return (
			<td colSpan={5} className="px-2 text-right text-muted">
				{failed ? texts.error.title : <Skeleton className="ml-auto w-full max-w-96" />}
			</td>
		);
	}
	const quiet = data.spans === 0;
	return (
		<>
			<td className={NUMBER} title={formatInteger(data.spans)}>
				{quiet ? <span className="text-muted">{UNKNOWN}</span> : formatCompact(data.spans)}
			</td>
			<td className={classNames(NUMBER, data.errors > 0 && "text-danger")} title={formatInteger(data.errors)}>
				{quiet ? <span className="text-muted">{UNKNOWN}</span> : formatPercent(data.errors / data.spans)}
			</td>
			<td className={classNames(NUMBER, "max-sm:hidden")} title={formatInteger(data.tokens)}>
				{data.tokens === 0 ? <span className="text-muted">{UNKNOWN}</span> : formatCompact(data.tokens)}
			</td>
			<td className={classNames(NUMBER, "max-sm:hidden")}>
				{data.cost === 0 ? <span className="text-muted">{UNKNOWN}</span> : formatCost(data.cost)}
			</td>
			<td className={NUMBER}>
				{data.lastTrace === null ? (
					<span className="text-muted">{texts.projects.noTraces}</span>
				) : (
					<RelativeTime time={data.lastTrace} />
				)}
			</td>
		</>
	);
}

/** True from the first time the element is in view. */
function useSeen(element: { current: HTMLElement | null }): boolean {
	const [seen, setSeen] = useState(false);
	useEffect(() => {
		if (seen || !element.current) return;
		const observer = new IntersectionObserver((entries) => {
			if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
		});
		observer.observe(element.current);
		return () => observer.disconnect();
	}, [seen, element]);
	return seen;
}
