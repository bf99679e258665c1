import { Link, useMatchRoute } from "@tanstack/react-router";
import Ellipsis from "lucide-react/icons/ellipsis";
import Search from "lucide-react/icons/search";
import type { ReactNode } from "react";
import { useShownProject } from "../lib/use-project-gone.ts";
import { texts } from "../texts/en.ts";
import { Menu, MenuItem } from "../ui/menu.tsx";
import {
	DASHBOARDS,
	DATASETS,
	EVALUATORS,
	EXPERIMENTS,
	EXPLORE,
	type NavIcon,
	PLAYGROUND,
	PROJECTS,
	PROMPTS,
	REVIEWS,
	SETTINGS,
	useOpenReviews,
	useProjectLinks,
} from "./nav-links.ts";
import { useShell } from "./shell-context.ts";

const ITEM =
	"flex h-full min-w-0 flex-1 flex-col items-center justify-center gap-1 rounded px-1 text-muted data-[status=active]:bg-accent-soft data-[status=active]:text-accent";

function Item({ icon: Glyph, label }: { icon: NavIcon; label: string }): ReactNode {
	return (
		<>
			<Glyph size={16} aria-hidden className="shrink-0" />
			<span className="max-w-full truncate text-[11px] leading-none">{label}</span>
		</>
	);
}

/** On phones, at the bottom: what is opened most, and behind "More" the rest, so that every name can be read. */
export function PhoneBar(): ReactNode {
	const project = useShownProject();
	const ofProject = useProjectLinks(project);
	const shell = useShell();
	const isAt = useMatchRoute();
	const open = useOpenReviews();
	const own = project === undefined ? [DATASETS, PROMPTS] : ofProject.slice(0, 2);
	const others = [DATASETS, EXPERIMENTS, PROMPTS, PLAYGROUND, EVALUATORS, REVIEWS].filter(
		(each) => !own.includes(each),
	);
	const across = project === undefined ? [EXPLORE, DASHBOARDS] : [];
	const rest = [...ofProject.slice(2), ...others, ...across, SETTINGS];
	const isInRest = rest.some(({ link: { to, params } }) => isAt({ to, params, fuzzy: true } as never) !== false);
	return (
		<nav
			aria-label={texts.nav.main}
			className="z-30 flex h-14 w-full shrink-0 items-center border-line border-t bg-sunken p-1"
		>
			{[PROJECTS, ...own].map(({ label, icon, link }) => (
				<Link key={link.to} {...link} className={ITEM}>
					<Item icon={icon} label={label} />
				</Link>
			))}
			<button type="button" className={ITEM} onClick={shell.openCommand}>
				<Item icon={Search} label={texts.shortcuts.search} />
			</button>
			<Menu
				align="end"
				side="top"
				trigger={
					<button type="button" className={ITEM} {...(isInRest ? { "data-status": "active" } : {})}>
						<Item icon={Ellipsis} label={texts.nav.more} />
					</button>
				}
			>
				{rest.map((item) => {
					const { label, icon: Glyph, link } = item;
					const hint = item === REVIEWS && open !== undefined ? { hint: open } : {};
					return (
						<MenuItem key={link.to} icon={<Glyph size={16} aria-hidden />} render={<Link {...link} />} {...hint}>
							{label}
						</MenuItem>
					);
				})}
			</Menu>
		</nav>
	);
}
