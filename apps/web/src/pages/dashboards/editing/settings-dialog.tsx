import type { Dashboard } from "@spanward/client";
import { type ReactNode, useState } from "react";
import { dashboardTexts } from "../../../texts/dashboards-en.ts";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { type Settings, SettingsFields } from "../settings-fields.tsx";

const TEXTS = dashboardTexts.form;

/** Changes everything about a dashboard but its widgets. */
export function SettingsDialog({
	dashboard,
	onChange,
	onClose,
}: {
	dashboard: Dashboard;
	onChange: (settings: Settings) => void;
	onClose: () => void;
}): ReactNode {
	const { name, description, visibility, range, time_zone, refresh_seconds, filter, controls } = dashboard;
	const [settings, setSettings] = useState<Settings>({
		...{ name, description, visibility, range, time_zone, refresh_seconds, filter, controls },
	});
	return (
		<FormDialog
			title={TEXTS.title}
			action={TEXTS.apply}
			isPending={false}
			error={null}
			onSubmit={(event) => {
				event.preventDefault();
				onChange(settings);
			}}
			onClose={onClose}
		>
			<SettingsFields settings={settings} onChange={setSettings} />
		</FormDialog>
	);
}
