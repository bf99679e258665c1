import type { Dashboard } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { useMe } from "../../lib/me.ts";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { FailureDialog } from "./failure-dialog.tsx";
import { dashboardLink, dashboardsLink } from "./links.ts";
import { createDashboard, toBody } from "./queries.ts";
import { saveFile } from "./save-file.ts";

/** What can be done with a whole dashboard. */
export function DashboardMenu({
	dashboard,
	project,
	mayEdit,
}: {
	dashboard: Dashboard;
	/** Its name or id; undefined across projects. */
	project: string | undefined;
	mayEdit: boolean;
}): ReactNode {
	const client = useQueryClient();
	const navigate = useNavigate();
	const me = useMe();
	const [failure, setFailure] = useState<Error>();
	const [isDeleting, setDeleting] = useState(false);
	const { id, name, owner_id, is_built_in } = dashboard;
	const mayDelete = mayEdit && !is_built_in && (me === undefined || me.role === "ADMIN" || me.id === owner_id);
	const duplicate = useMutation({
		mutationFn: () => createDashboard({ ...toBody(dashboard), name: TEXTS.copyOf(name).slice(0, 200) }),
		onSuccess: async (made) => {
			await client.invalidateQueries({ queryKey: ["dashboards"] });
			await navigate(dashboardLink(made.id, project));
		},
		onError: setFailure,
	});
	const save = useMutation({
		mutationFn: async () => {
			const query = is_built_in && project !== undefined ? `?${new URLSearchParams({ project })}` : "";
			const response = await api.fetch(`/v1/dashboards/${encodeURIComponent(id)}/export${query}`);
			return await response.blob();
		},
		onSuccess: (blob) => saveFile(`${name}.dashboard.json`, blob),
		onError: setFailure,
	});
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/dashboards/{dashboard_id}", { path: { dashboard_id: id } }),
		onSuccess: async () => {
			await client.invalidateQueries({ queryKey: ["dashboards"] });
			await navigate(dashboardsLink(project));
		},
	});
	return (
		<>
			<Menu
				align="end"
				trigger={
					<IconButton label={TEXTS.menu}>
						<Ellipsis size={14} aria-hidden />
					</IconButton>
				}
			>
				{mayEdit && <MenuItem onClick={() => duplicate.mutate()}>{TEXTS.duplicate}</MenuItem>}
				<MenuItem onClick={() => save.mutate()}>{TEXTS.export}</MenuItem>
				{mayDelete && (
					<>
						<MenuSeparator />
						<MenuItem danger onClick={() => setDeleting(true)}>
							{TEXTS.delete}
						</MenuItem>
					</>
				)}
			</Menu>
			{isDeleting && (
				<ConfirmDialog
					title={TEXTS.deleteTitle(name)}
					action={TEXTS.delete}
					mutation={remove}
					onClose={() => setDeleting(false)}
				>
					<p>{TEXTS.deleteText}</p>
				</ConfirmDialog>
			)}
			{failure && <FailureDialog error={failure} onClose={() => setFailure(undefined)} />}
		</>
	);
}
