import type { Dashboard } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import type { Chart } from "../../../analytics/chart.ts";
import { ProjectPicker } from "../../../analytics/project-picker.tsx";
import { schemaQuery } from "../../../analytics/queries.ts";
import { QueryForm } from "../../../analytics/query-form.tsx";
import { isWords } from "../../../filtering/list-condition.ts";
import { shownTimeZone } from "../../../lib/time.ts";
import { dashboardTexts } from "../../../texts/dashboards-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, TextArea } from "../../../ui/input.tsx";
import { Labelled } from "../../../ui/labelled.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Select } from "../../../ui/select.tsx";
import type { Search } from "../controls.tsx";
import { widgetQuery } from "../queries.ts";
import { WidgetBody } from "../widget-body.tsx";
import { chartOf, savedChartOf, toStoredQuery, type Widget } from "../widget-question.ts";
import { DisplayFields } from "./display-fields.tsx";

const TEXTS = dashboardTexts.editor;
const PREVIEW = { x: 0, y: 0, w: 12, h: 6 };

/** Edits what a widget asks and how it is drawn, with a preview of it. */
export function WidgetEditor({
	widget,
	dashboard,
	project,
	search,
	onChange,
	onClose,
}: {
	widget: Widget;
	dashboard: Dashboard;
	project: string | undefined;
	search: Search;
	onChange: (widget: Widget) => void;
	onClose: () => void;
}): ReactNode {
	return (
		<Dialog
			open
			onOpenChange={onClose}
			title={TEXTS.title}
			className="top-[4vh] max-h-[92vh] w-[min(64rem,calc(100vw-1rem))]"
			staysOnPress
		>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<Field label={TEXTS.name}>
					<Input
						maxLength={200}
						value={widget.title}
						onChange={(event) => onChange({ ...widget, title: event.target.value })}
					/>
				</Field>
				{widget.kind === "text" ? (
					<Field label={TEXTS.text}>
						<TextArea
							rows={10}
							maxLength={50_000}
							value={widget.text ?? ""}
							onChange={(event) => onChange({ ...widget, text: event.target.value })}
						/>
					</Field>
				) : (
					<ChartFields {...{ widget, dashboard, project, search, onChange }} />
				)}
				<section aria-label={TEXTS.preview} className="flex min-h-0 flex-col rounded border border-line pt-2">
					<WidgetBody
						widget={{ ...widget, layout: PREVIEW }}
						chart={chartOf(widget, dashboard, search, isWords)}
						project={project}
						refresh={false}
						onZoom={() => undefined}
					/>
				</section>
				<Button look="primary" className="self-end" onClick={onClose}>
					{TEXTS.done}
				</Button>
			</div>
		</Dialog>
	);
}

function ChartFields({
	widget,
	dashboard,
	project,
	search,
	onChange,
}: {
	widget: Widget;
	dashboard: Dashboard;
	project: string | undefined;
	search: Search;
	onChange: (widget: Widget) => void;
}): ReactNode {
	const field = useRef<HTMLInputElement | null>(null);
	const schema = useQuery(schemaQuery);
	const chart = savedChartOf(widget);
	const asked = useQuery({
		...widgetQuery(project, chartOf(widget, dashboard, search, isWords), shownTimeZone()),
		enabled: false,
	});
	const put = ({ kind, query, display }: Chart) =>
		onChange({ ...widget, kind, query: toStoredQuery(fitting(kind, query)), display: display as Widget["display"] });
	return (
		<>
			{project === undefined && (
				<div>
					<ProjectPicker
						projects={chart.query.project ?? []}
						onChange={(projects) => {
							const { project: _project, ...query } = chart.query;
							put({ ...chart, query: projects.length > 0 ? { ...query, project: projects } : query });
						}}
					/>
				</div>
			)}
			<Loaded data={schema.data} query={schema}>
				{(data) => (
					<QueryForm
						schema={data}
						chart={chart}
						onChange={put}
						project={project}
						error={asked.error}
						searchRef={field}
					/>
				)}
			</Loaded>
			<Labelled label={TEXTS.per}>
				<Select
					value={widget.display.per ?? "bucket"}
					onChange={(per) => {
						const { per: _per, ...display } = widget.display;
						onChange({ ...widget, display: per === "bucket" ? display : { ...display, per } });
					}}
					choices={(["bucket", "minute", "hour", "day"] as const).map((value) => ({
						value,
						label: TEXTS.perTime[value],
					}))}
				/>
			</Labelled>
			<DisplayFields
				kind={widget.kind}
				display={widget.display}
				onChange={(display) => onChange({ ...widget, display })}
			/>
		</>
	);
}

/** Of a question what its kind of chart asks: a spread has no measures, others have no spread. */
function fitting(kind: Chart["kind"], query: Chart["query"]): Chart["query"] {
	const { distribution, bins, scale, ...plain } = query;
	if (kind !== "histogram" && kind !== "heatmap") return plain;
	const { measure: _measure, group_by: _groups, sort: _sort, limit: _limit, compare: _compare, ...spread } = plain;
	return {
		...spread,
		distribution: distribution ?? "latency_ms",
		...(bins === undefined ? {} : { bins }),
		...(scale === undefined ? {} : { scale }),
	};
}
