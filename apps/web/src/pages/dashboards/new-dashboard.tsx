import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { dashboardTexts } from "../../texts/dashboards-en.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { createDashboard } from "./queries.ts";
import { type Settings, SettingsFields } from "./settings-fields.tsx";

const TEXTS = dashboardTexts.form;
const START: Settings = {
	...{ name: "", description: null, visibility: "shared", range: "7d", time_zone: null },
	...{ refresh_seconds: null, filter: null, controls: [] },
};

export interface NewDashboardProps {
	/** Its name or id; undefined across projects. */
	readonly project: string | undefined;
	readonly onMade: (id: string) => void;
	readonly onClose: () => void;
}

/** Asks for what a new dashboard is called and shows. */
export function NewDashboard({ project, onMade, onClose }: NewDashboardProps): ReactNode {
	const client = useQueryClient();
	const [settings, setSettings] = useState(START);
	const create = useMutation({
		mutationFn: () => createDashboard({ ...settings, project_id: project ?? null, widgets: [] }),
		onSuccess: async ({ id }) => {
			await client.invalidateQueries({ queryKey: ["dashboards"] });
			onMade(id);
		},
	});
	return (
		<FormDialog
			title={TEXTS.newTitle}
			action={TEXTS.create}
			isPending={create.isPending}
			error={create.error}
			onSubmit={(event) => {
				event.preventDefault();
				create.mutate();
			}}
			onClose={onClose}
		>
			<SettingsFields settings={settings} onChange={setSettings} />
		</FormDialog>
	);
}
