import type { DashboardFile } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { dashboardTexts } from "../../texts/dashboards-en.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field } from "../../ui/input.tsx";
import type { NewDashboardProps } from "./new-dashboard.tsx";

const TEXTS = dashboardTexts.importing;

/** Makes a dashboard of an exported file. */
export function ImportDashboard({ project, onMade, onClose }: NewDashboardProps): ReactNode {
	const client = useQueryClient();
	const [file, setFile] = useState<File>();
	const load = useMutation({
		mutationFn: async () => {
			const body = parse(await file?.text());
			const query = project === undefined ? {} : { project };
			return (await api.post("/v1/dashboards/import", { query, body })).data;
		},
		onSuccess: async ({ id }) => {
			await client.invalidateQueries({ queryKey: ["dashboards"] });
			onMade(id);
		},
	});
	return (
		<FormDialog
			title={TEXTS.title}
			action={TEXTS.action}
			isPending={load.isPending}
			error={load.error}
			onSubmit={(event) => {
				event.preventDefault();
				load.mutate();
			}}
			onClose={onClose}
		>
			<p>{TEXTS.text}</p>
			<Field label={TEXTS.file}>
				<input
					type="file"
					required
					accept=".json,application/json"
					onChange={(event) => setFile(event.target.files?.[0])}
				/>
			</Field>
		</FormDialog>
	);
}

/** The server says what is wrong with what is in it. */
function parse(text = ""): DashboardFile {
	try {
		return JSON.parse(text) as DashboardFile;
	} catch (error) {
		if (error instanceof SyntaxError) throw new Error(TEXTS.notJson, { cause: error });
		throw error;
	}
}
