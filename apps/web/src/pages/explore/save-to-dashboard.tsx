import type { Dashboard } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Chart } from "../../analytics/chart.ts";
import { measuresOf } from "../../analytics/chart.ts";
import { fieldLabel } from "../../analytics/groups.ts";
import { measureLabel } from "../../analytics/measures.ts";
import { analyticsTexts } from "../../texts/analytics-en.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { addToDashboard, ownDashboardsQuery } from "./dashboards.ts";

const TEXTS = analyticsTexts.save;
/** In place of the id of a dashboard. */
const NEW = "";

export interface SaveToDashboardProps {
	/** Its name or id; undefined across projects. */
	readonly project: string | undefined;
	readonly chart: Chart;
	readonly onClose: () => void;
}

/** Adds the chart to a dashboard, or to a new one. */
export function SaveToDashboard({ project, chart, onClose }: SaveToDashboardProps): ReactNode {
	const client = useQueryClient();
	const { data: dashboards, error } = useQuery(ownDashboardsQuery(project));
	const [id, setId] = useState<string>();
	const [name, setName] = useState("");
	const [title, setTitle] = useState(() => titleOf(chart));
	const chosen = id ?? dashboards?.[0]?.id ?? NEW;
	const save = useMutation({
		mutationFn: () => addToDashboard({ project, chart, title, to: chosen === NEW ? { name } : { id: chosen } }),
		onSuccess: async () => {
			await client.invalidateQueries({ queryKey: ["dashboards"] });
			await client.invalidateQueries({ queryKey: ["dashboard"] });
		},
	});
	if (save.data) return <Saved project={project} dashboard={save.data} onClose={onClose} />;
	return (
		<FormDialog
			title={TEXTS.title}
			action={texts.action.save}
			isPending={save.isPending || (!dashboards && !error)}
			error={save.error}
			onSubmit={(event) => {
				event.preventDefault();
				save.mutate();
			}}
			onClose={onClose}
		>
			<FormError error={error} />
			<Field label={TEXTS.widget}>
				<Input value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
			</Field>
			<Field label={TEXTS.dashboard} hint={TEXTS.rangeHint}>
				<Select
					value={chosen}
					onChange={setId}
					choices={[
						...(dashboards ?? []).map((each) => ({ value: each.id, label: each.name })),
						{ value: NEW, label: TEXTS.newOne },
					]}
				/>
			</Field>
			{chosen === NEW && (
				<Field label={TEXTS.name}>
					<Input value={name} required maxLength={200} onChange={(event) => setName(event.target.value)} />
				</Field>
			)}
		</FormDialog>
	);
}

function Saved({
	project,
	dashboard,
	onClose,
}: {
	project: string | undefined;
	dashboard: Dashboard;
	onClose: () => void;
}): ReactNode {
	const params = { dashboard: dashboard.id };
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.saved(dashboard.name)}>
			<div className="flex justify-end gap-2 p-4">
				<Button onClick={onClose}>{texts.action.close}</Button>
				{project === undefined ? (
					<Link to="/dashboards/$dashboard" params={params} className={buttonClass("primary")}>
						{TEXTS.open}
					</Link>
				) : (
					<Link
						to="/p/$project/dashboards/$dashboard"
						params={{ ...params, project }}
						className={buttonClass("primary")}
					>
						{TEXTS.open}
					</Link>
				)}
			</div>
		</Dialog>
	);
}

/** Cost by Model */
function titleOf({ query }: Chart): string {
	const measures = measuresOf(query).map((measure) => measureLabel(measure, query.of));
	const groups = query.group_by ?? [];
	const what = query.distribution === undefined ? measures.join(", ") : query.distribution;
	return groups.length === 0 ? what : TEXTS.by(what, groups.map(fieldLabel).join(", "));
}
