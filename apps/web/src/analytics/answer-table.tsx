import type { Analytics } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import type { ReactNode } from "react";
import { formatPercent } from "../lib/format.ts";
import { formatTime } from "../lib/time.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { classNames } from "../ui/class-names.ts";
import { SpanKindLabel } from "../ui/span-kind.tsx";
import type { Cell, CellLinks } from "./cell-links.ts";
import { Change } from "./change.tsx";
import type { ChartDisplay } from "./chart.ts";
import { REST_COLOR, useGroupColors } from "./colors.ts";
import { fieldLabel, groupKey, type Series, valueLabel } from "./groups.ts";
import { formatExactly, formatOf, isAdditive, measureLabel } from "./measures.ts";
import { isGrouped } from "./panels.ts";
import { Swatch } from "./swatch.tsx";
import { thresholdTone } from "./thresholds.ts";

export interface AnswerTableProps {
	readonly answer: Analytics;
	readonly links: CellLinks;
	/** How numbers are written. */
	readonly display?: ChartDisplay | undefined;
	/** `cost_total`, `-cost_total` or `group`; absent: the first measure, descending. */
	readonly sort?: string | undefined;
	/** Absent: it cannot be sorted. */
	readonly onSort?: ((sort: string) => void) | undefined;
	/** Whether the groups have the colours of a chart beside it. */
	readonly hasColors?: boolean;
}

const NAME = "h-8 max-w-72 truncate px-2 text-left font-normal";
const CELL = "relative h-8 whitespace-nowrap px-2 text-right font-normal";

/** The groups of an answer, or its buckets where nothing is grouped; each number leads to the rows behind it. */
export function AnswerTable(props: AnswerTableProps): ReactNode {
	return (
		<div className="overflow-x-auto">
			{isGrouped(props.answer) ? <GroupTable {...props} /> : <BucketTable {...props} />}
		</div>
	);
}

function GroupTable({ answer, links, display, sort, onSort, hasColors = false }: AnswerTableProps): ReactNode {
	const colors = useGroupColors();
	const { series, others, all, of } = answer;
	const measures = Object.keys(all.totals);
	const fields = series[0]?.group.map(({ field }) => field) ?? [];
	const sorted = sort ?? `-${measures[0] ?? "count"}`;
	return (
		<table aria-label={TEXTS.groupsTable} className="w-full border-collapse">
			<thead>
				<tr className="border-line border-b text-muted text-sm">
					{fields.map((field, index) => (
						<Head key={field} name="group" sorted={sorted} onSort={index === 0 ? onSort : undefined} className={NAME}>
							{fieldLabel(field)}
						</Head>
					))}
					{measures.map((measure) => (
						<Head key={measure} name={measure} sorted={sorted} onSort={onSort} className={CELL}>
							{measureLabel(measure, of)}
						</Head>
					))}
				</tr>
			</thead>
			<tbody>
				{series.map((each, index) => {
					const key = groupKey(each.group);
					return (
						<tr key={key} className="border-line border-b hover:bg-hover">
							<GroupCells
								group={each.group}
								link={links({ series: index, measure: "count" })}
								color={hasColors ? colors.of(key) : undefined}
							/>
							{measures.map((measure) => (
								<NumberCell
									key={measure}
									{...{ answer, measure, links, display }}
									of={each}
									cell={{ series: index, measure }}
								/>
							))}
						</tr>
					);
				})}
				{others !== null && (
					<tr className="border-line border-b">
						<th scope="row" colSpan={fields.length} className={classNames(NAME, "text-muted")}>
							{hasColors && <Swatch color={REST_COLOR} className="mr-1.5" />}
							{TEXTS.others(others.groups)}
						</th>
						{measures.map((measure) => (
							<NumberCell
								key={measure}
								{...{ answer, measure, links, display }}
								of={others}
								cell={{ series: "others", measure }}
							/>
						))}
					</tr>
				)}
				<AllRow {...{ answer, links, display }} columns={fields.length} />
			</tbody>
		</table>
	);
}

/** What all groups and buckets have together. @param columns that name the rows above */
function AllRow({ answer, links, display, columns }: AnswerTableProps & { columns: number }): ReactNode {
	const { all } = answer;
	return (
		<tr className="font-semibold">
			<th scope="row" colSpan={Math.max(1, columns)} className={classNames(NAME, "font-semibold")}>
				{TEXTS.all}
			</th>
			{Object.keys(all.totals).map((measure) => (
				<NumberCell key={measure} {...{ answer, measure, links, display }} of={all} cell={{ series: "all", measure }} />
			))}
		</tr>
	);
}

function GroupCells({
	group,
	link,
	color,
}: {
	group: Series["group"];
	link: ReturnType<CellLinks>;
	color: string | undefined;
}): ReactNode {
	return group.map((part, index) => {
		const { field, value } = part;
		const label = field === "kind" && typeof value === "string" ? <SpanKindLabel kind={value} /> : valueLabel(part);
		const text = <span className={value === null ? "text-muted" : ""}>{label}</span>;
		const content = (
			<>
				{index === 0 && color !== undefined && <Swatch color={color} className="mr-1.5" />}
				{link && index === 0 ? (
					<Link {...link} title={valueLabel(part)} className="hover:text-accent hover:underline">
						{text}
					</Link>
				) : (
					<span title={link ? valueLabel(part) : TEXTS.noRows}>{text}</span>
				)}
			</>
		);
		return index === 0 ? (
			<th key={field} scope="row" className={NAME}>
				{content}
			</th>
		) : (
			<td key={field} className={NAME}>
				{content}
			</td>
		);
	});
}

function BucketTable({ answer, links, display }: AnswerTableProps): ReactNode {
	const { all, buckets, of, bucket } = answer;
	const measures = Object.keys(all.totals);
	return (
		<table aria-label={bucket === "none" ? TEXTS.all : TEXTS.bucketsTable} className="w-full border-collapse">
			<thead>
				<tr className="border-line border-b text-muted text-sm">
					<th scope="col" className={NAME}>
						{TEXTS.bucketColumn}
					</th>
					{measures.map((measure) => (
						<th key={measure} scope="col" className={CELL}>
							{measureLabel(measure, of)}
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{bucket !== "none" &&
					[...buckets.keys()].toReversed().map((at) => (
						<tr key={at} className="border-line border-b hover:bg-hover">
							<th scope="row" className={NAME}>
								{formatTime(buckets[at]?.start_time)}
							</th>
							{measures.map((measure) => {
								const link = links({ series: "all", measure, bucket: at });
								const value = all.values[measure]?.[at];
								return (
									<td key={measure} title={formatExactly(measure, value)} className={CELL}>
										<Linked link={value ? link : undefined}>{formatOf(measure, display)(value)}</Linked>{" "}
										<Change measure={measure} now={value} before={all.previous?.values[measure]?.[at]} form={display} />
									</td>
								);
							})}
						</tr>
					))}
				<AllRow {...{ answer, links, display }} columns={1} />
			</tbody>
		</table>
	);
}

function NumberCell({
	answer,
	measure,
	links,
	display,
	of,
	cell,
}: {
	answer: Analytics;
	measure: string;
	links: CellLinks;
	display: ChartDisplay | undefined;
	of: Pick<Analytics["all"], "totals" | "previous">;
	cell: Cell;
}): ReactNode {
	const value = of.totals[measure];
	const whole = answer.all.totals[measure];
	const isShare = cell.series !== "all" && isAdditive(measure) && !answer.overlapping;
	const share =
		isShare && typeof value === "number" && typeof whole === "number" && whole > 0 ? value / whole : undefined;
	const title = [
		formatExactly(measure, value),
		...(share === undefined ? [] : [TEXTS.share(formatPercent(share))]),
		...(answer.approximate.includes(measure) ? [TEXTS.approximate] : []),
	].join(", ");
	return (
		<td title={title} className={classNames(CELL, thresholdTone(display?.thresholds, value))}>
			{share !== undefined && share > 0 && (
				<span
					aria-hidden
					className="absolute right-2 bottom-0.5 h-0.5 rounded bg-accent"
					style={{ width: `calc((100% - 1rem) * ${share})` }}
				/>
			)}
			<Linked link={value ? links(cell) : undefined}>{formatOf(measure, display)(value)}</Linked>{" "}
			<Change measure={measure} now={value} before={of.previous?.totals[measure]} form={display} />
		</td>
	);
}

function Linked({ link, children }: { link: ReturnType<CellLinks>; children: ReactNode }): ReactNode {
	if (link === undefined) return children;
	return (
		<Link {...link} className="hover:text-accent hover:underline">
			{children}
		</Link>
	);
}

function Head({
	name,
	sorted,
	onSort,
	className,
	children,
}: {
	name: string;
	sorted: string;
	onSort: ((sort: string) => void) | undefined;
	className: string;
	children: string;
}): ReactNode {
	const isSorted = sorted === name || sorted === `-${name}`;
	const isDescending = sorted.startsWith("-");
	const Arrow = isDescending ? ArrowDown : ArrowUp;
	// Numbers begin with the largest, names with A.
	const isNextDescending = isSorted ? !isDescending : name !== "group";
	return (
		<th
			scope="col"
			aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
			className={className}
		>
			{onSort ? (
				<button
					type="button"
					title={TEXTS.sortBy(children)}
					onClick={() => onSort(isNextDescending ? `-${name}` : name)}
					className="inline-flex items-center gap-1 rounded hover:text-ink"
				>
					{children}
					{isSorted && <Arrow size={12} aria-hidden />}
				</button>
			) : (
				children
			)}
		</th>
	);
}
