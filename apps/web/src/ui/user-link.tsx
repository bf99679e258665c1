import { Link } from "@tanstack/react-router";
import UserRound from "lucide-react/icons/user-round";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";

/** Leads to the page of an end user. Browsers drop path segments of dots: such a user is found in the list. */
export function UserLink({
	project,
	user,
	className = "text-accent hover:underline",
	title,
	children = user,
	...more
}: {
	project: string;
	user: string;
	className?: string;
	title?: string;
	children?: ReactNode;
	tabIndex?: number;
	"aria-label"?: string;
}): ReactNode {
	const shared = { className, title: title ?? user, ...more };
	if (/^\.{1,2}$/.test(user))
		return (
			<Link to="/p/$project/users" params={{ project }} search={{ q: user }} {...shared}>
				{children}
			</Link>
		);
	return (
		<Link to="/p/$project/users/$user" params={{ project, user }} {...shared}>
			{children}
		</Link>
	);
}

/** Beside a user's id in a row of a list, where the id itself filters. */
export function UserPageLink({ project, user }: { project: string; user: string }): ReactNode {
	return (
		<UserLink
			project={project}
			user={user}
			tabIndex={-1}
			aria-label={texts.filter.openUser(user)}
			title={texts.filter.openUser(user)}
			className="invisible ml-auto shrink-0 rounded p-0.5 text-muted hover:text-accent focus-visible:visible group-hover/row:visible group-focus-visible/row:visible"
		>
			<UserRound size={13} aria-hidden />
		</UserLink>
	);
}
