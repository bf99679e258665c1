import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import { type ReactNode, useState } from "react";
import type { Chart } from "../../analytics/chart.ts";
import { shownTimeZone } from "../../lib/time.ts";
import { dashboardTexts } from "../../texts/dashboards-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy-button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { FailureDialog } from "./failure-dialog.tsx";
import { fetchCsv } from "./queries.ts";
import { saveFile } from "./save-file.ts";
import { exploreLink } from "./widget-body.tsx";
import type { Widget } from "./widget-question.ts";

const TEXTS = dashboardTexts.widget;

export interface WidgetChanges {
	readonly edit: (key: string) => void;
	readonly duplicate: (key: string) => void;
	readonly remove: (key: string) => void;
}

/** What can be done with a widget. @param changes absent: it cannot be changed */
export function WidgetMenu({
	widget,
	chart,
	project,
	changes,
}: {
	widget: Widget;
	chart: Chart;
	project: string | undefined;
	changes: WidgetChanges | undefined;
}): ReactNode {
	const [said, setSaid] = useState("");
	const [failure, setFailure] = useState<Error>();
	const title = widget.title || TEXTS.untitled;
	const isText = widget.kind === "text";
	const copy = (text: string, done: string) => {
		setSaid("");
		copyText(text).then(() => setSaid(done), setFailure);
	};
	const csv = useMutation({
		mutationFn: () => fetchCsv(project, chart, shownTimeZone()),
		onSuccess: (blob) => saveFile(`${title}.csv`, blob),
		onError: setFailure,
	});
	return (
		<>
			<Menu
				align="end"
				trigger={
					<IconButton label={TEXTS.menu(title)} className="size-6">
						<Ellipsis size={14} aria-hidden />
					</IconButton>
				}
			>
				{!isText && <MenuItem render={<Link {...exploreLink(project, chart)} />}>{TEXTS.explore}</MenuItem>}
				{changes && <MenuItem onClick={() => changes.edit(widget.key)}>{TEXTS.edit}</MenuItem>}
				{changes && <MenuItem onClick={() => changes.duplicate(widget.key)}>{TEXTS.duplicate}</MenuItem>}
				<MenuItem onClick={() => copy(linkTo(widget.key), TEXTS.copied)}>{TEXTS.copyLink}</MenuItem>
				<MenuItem onClick={() => copy(JSON.stringify(widget, null, "\t"), TEXTS.exported)}>{TEXTS.export}</MenuItem>
				{!isText && <MenuItem onClick={() => csv.mutate()}>{TEXTS.csv}</MenuItem>}
				{changes && (
					<>
						<MenuSeparator />
						<MenuItem danger onClick={() => changes.remove(widget.key)}>
							{TEXTS.remove}
						</MenuItem>
					</>
				)}
			</Menu>
			<span role="status" className="sr-only">
				{said}
			</span>
			{failure && <FailureDialog error={failure} onClose={() => setFailure(undefined)} />}
		</>
	);
}

/** This page, beginning with the widget. */
function linkTo(key: string): string {
	const address = new URL(location.href);
	address.searchParams.set("widget", key);
	return address.href;
}
