import { Link } from "@tanstack/react-router";
import ChartLine from "lucide-react/icons/chart-line";
import Database from "lucide-react/icons/database";
import FlaskConical from "lucide-react/icons/flask-conical";
import Folders from "lucide-react/icons/folders";
import Keyboard from "lucide-react/icons/keyboard";
import ListTree from "lucide-react/icons/list-tree";
import MessagesSquare from "lucide-react/icons/messages-square";
import Pin from "lucide-react/icons/pin";
import Search from "lucide-react/icons/search";
import Settings from "lucide-react/icons/settings";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import SquareTerminal from "lucide-react/icons/square-terminal";
import type { ComponentType, ReactNode } from "react";
import { useKeptFilters } from "../filtering/kept-filters.ts";
import { localSetting } from "../lib/local-setting.ts";
import { parseTimeRange } from "../lib/time-range.ts";
import { useLocalSetting } from "../lib/use-local-setting.ts";
import { useShownProject } from "../lib/use-project-gone.ts";
import { texts } from "../texts/en.ts";
import { classNames } from "../ui/class-names.ts";
import { useShell } from "./shell-context.ts";

type Icon = ComponentType<{ size?: number; "aria-hidden"?: boolean; className?: string }>;

const pinned = localSetting("rail-pinned");

const ITEM =
	"flex h-9 w-full min-w-9 items-center gap-3 rounded px-2.5 text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent max-sm:h-full max-sm:w-auto max-sm:min-w-14 max-sm:shrink-0 max-sm:grow max-sm:flex-col max-sm:justify-center max-sm:gap-1 max-sm:px-1";
const LABEL = "truncate max-sm:text-[11px] max-sm:leading-none";

function Item({ icon: Glyph, label }: { icon: Icon; label: string }): ReactNode {
	return (
		<>
			<Glyph size={16} aria-hidden className="shrink-0" />
			<span className={LABEL}>{label}</span>
		</>
	);
}

/** 48 px of icons that opens over the page on hover or focus, or stays open when pinned; on phones a bar at the bottom, with names, that scrolls. */
export function NavRail(): ReactNode {
	const project = useShownProject();
	const [isPinned, setPinned] = useLocalSetting(pinned);
	const shell = useShell();
	return (
		<div className={classNames("relative z-30 shrink-0 max-sm:h-14 max-sm:w-full", isPinned ? "sm:w-44" : "sm:w-12")}>
			<nav
				aria-label={texts.nav.main}
				className={classNames(
					"group flex h-full overflow-hidden border-line bg-sunken sm:absolute sm:inset-y-0 sm:left-0 sm:flex-col sm:border-r sm:p-1.5",
					"max-sm:w-full max-sm:items-center max-sm:overflow-x-auto max-sm:border-t max-sm:px-1",
					isPinned
						? "sm:w-44"
						: "sm:w-12 motion-safe:sm:transition-[width] sm:delay-150 sm:focus-within:w-44 sm:hover:w-44 sm:hover:shadow-lg",
				)}
			>
				<div className="flex gap-1 sm:flex-col max-sm:contents">
					<Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={ITEM}>
						<Item icon={Folders} label={texts.nav.projects} />
					</Link>
					<Link to="/datasets" activeOptions={{ includeSearch: false }} className={ITEM}>
						<Item icon={Database} label={texts.nav.datasets} />
					</Link>
					<Link to="/experiments" activeOptions={{ includeSearch: false }} className={ITEM}>
						<Item icon={FlaskConical} label={texts.nav.experiments} />
					</Link>
					<Link to="/prompts" activeOptions={{ includeSearch: false }} className={ITEM}>
						<Item icon={SquareTerminal} label={texts.nav.prompts} />
					</Link>
					{project !== undefined && <ProjectItems project={project} />}
				</div>
				<div className="flex gap-1 sm:mt-auto sm:flex-col max-sm:contents">
					<button type="button" className={ITEM} onClick={shell.openCommand}>
						<Item icon={Search} label={texts.shortcuts.search} />
					</button>
					<button type="button" className={classNames(ITEM, "max-sm:hidden")} onClick={shell.openShortcuts}>
						<Item icon={Keyboard} label={texts.shortcuts.open} />
					</button>
					<Link to="/settings" className={ITEM} activeOptions={{ includeSearch: false }}>
						<Item icon={Settings} label={texts.settings.title} />
					</Link>
					<button
						type="button"
						aria-pressed={isPinned !== undefined}
						className={classNames(ITEM, "max-sm:hidden")}
						onClick={() => setPinned(isPinned ? undefined : "1")}
					>
						<Item icon={Pin} label={isPinned ? texts.nav.unpin : texts.nav.pin} />
					</button>
				</div>
			</nav>
		</div>
	);
}

/** Links to the pages of the project, which keep its time range, and the filters that they have. */
function ProjectItems({ project }: { project: string }): ReactNode {
	const params = { project };
	const keptFor = useKeptFilters();
	return (
		<>
			<Link
				to="/p/$project/traces"
				params={params}
				{...keptFor("traces")}
				className={ITEM}
				activeOptions={{ includeSearch: false }}
			>
				<Item icon={ListTree} label={texts.nav.traces} />
			</Link>
			<Link
				to="/p/$project/sessions"
				params={params}
				{...keptFor("sessions")}
				className={ITEM}
				activeOptions={{ includeSearch: false }}
			>
				<Item icon={MessagesSquare} label={texts.nav.sessions} />
			</Link>
			<Link
				to="/p/$project/overview"
				params={params}
				{...keptFor("overview")}
				className={ITEM}
				activeOptions={{ includeSearch: false }}
			>
				<Item icon={ChartLine} label={texts.nav.overview} />
			</Link>
			<Link
				to="/p/$project/settings"
				params={params}
				search={parseTimeRange}
				className={ITEM}
				activeOptions={{ includeSearch: false }}
			>
				<Item icon={SlidersHorizontal} label={texts.projectSettings.title} />
			</Link>
		</>
	);
}
