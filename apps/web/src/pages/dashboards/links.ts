import { type LinkProps, linkOptions } from "@tanstack/react-router";

/** @param project its name or id; undefined across projects */
export function dashboardLink(dashboard: string, project: string | undefined): LinkProps {
	return (
		project === undefined
			? linkOptions({ to: "/dashboards/$dashboard", params: { dashboard } })
			: linkOptions({ to: "/p/$project/dashboards/$dashboard", params: { project, dashboard } })
	) as LinkProps;
}

export function dashboardsLink(project: string | undefined): LinkProps {
	return (
		project === undefined
			? linkOptions({ to: "/dashboards" })
			: linkOptions({ to: "/p/$project/dashboards", params: { project } })
	) as LinkProps;
}
