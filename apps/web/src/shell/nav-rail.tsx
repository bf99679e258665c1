import { Link } from "@tanstack/react-router";
import Keyboard from "lucide-react/icons/keyboard";
import Pin from "lucide-react/icons/pin";
import Search from "lucide-react/icons/search";
import type { ReactNode } from "react";
import { localSetting } from "../lib/local-setting.ts";
import { useLocalSetting } from "../lib/use-local-setting.ts";
import { useShownProject } from "../lib/use-project-gone.ts";
import { texts } from "../texts/en.ts";
import { classNames } from "../ui/class-names.ts";
import {
	DASHBOARDS,
	DATASETS,
	EVALUATORS,
	EXPERIMENTS,
	EXPLORE,
	type NavIcon,
	type NavLink,
	PLAYGROUND,
	PROJECTS,
	PROMPTS,
	REVIEWS,
	SETTINGS,
	useOpenReviews,
	useProjectLinks,
} from "./nav-links.ts";
import { useShell } from "./shell-context.ts";

const pinned = localSetting("rail-pinned");

const ITEM =
	"flex h-9 w-full min-w-9 items-center gap-3 rounded px-2.5 text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent";

function Item({ icon: Glyph, label }: { icon: NavIcon; label: string }): ReactNode {
	return (
		<>
			<Glyph size={16} aria-hidden className="shrink-0" />
			<span className="truncate">{label}</span>
		</>
	);
}

function ItemLink({ label, icon, link, open }: NavLink & { open?: string | undefined }): ReactNode {
	return (
		<Link {...link} className={classNames("relative", ITEM)}>
			<Item icon={icon} label={label} />
			{open !== undefined && (
				<span className="absolute top-0.5 left-5 min-w-4 rounded-full bg-accent px-1 text-center text-[10px] text-on-accent leading-4">
					{open}
					<span className="sr-only"> {texts.nav.openReviews}</span>
				</span>
			)}
		</Link>
	);
}

/** 48 px of icons that opens over the page on hover or focus, or stays open when pinned. */
export function NavRail(): ReactNode {
	const ofProject = useProjectLinks(useShownProject());
	const shown = ofProject.length > 0 ? ofProject : [EXPLORE, DASHBOARDS];
	const [isPinned, setPinned] = useLocalSetting(pinned);
	const shell = useShell();
	const open = useOpenReviews();
	return (
		<div className={classNames("relative z-30 shrink-0", isPinned ? "w-44" : "w-12")}>
			<nav
				aria-label={texts.nav.main}
				className={classNames(
					"group absolute inset-y-0 left-0 flex h-full flex-col overflow-hidden border-line border-r bg-sunken p-1.5",
					isPinned
						? "w-44"
						: "w-12 delay-150 focus-within:w-44 hover:w-44 hover:shadow-lg motion-safe:transition-[width]",
				)}
			>
				<div className="flex min-h-0 flex-col gap-1 overflow-y-auto overflow-x-hidden">
					{[PROJECTS, DATASETS, EXPERIMENTS, PROMPTS, PLAYGROUND, EVALUATORS, REVIEWS, ...shown].map((item) => (
						<ItemLink key={item.link.to} {...item} open={item === REVIEWS ? open : undefined} />
					))}
				</div>
				<div className="mt-auto flex flex-col gap-1">
					<button type="button" className={ITEM} onClick={shell.openCommand}>
						<Item icon={Search} label={texts.shortcuts.search} />
					</button>
					<button type="button" className={ITEM} onClick={shell.openShortcuts}>
						<Item icon={Keyboard} label={texts.shortcuts.open} />
					</button>
					<ItemLink {...SETTINGS} />
					<button
						type="button"
						aria-pressed={isPinned !== undefined}
						className={ITEM}
						onClick={() => setPinned(isPinned ? undefined : "1")}
					>
						<Item icon={Pin} label={isPinned ? texts.nav.unpin : texts.nav.pin} />
					</button>
				</div>
			</nav>
		</div>
	);
}
