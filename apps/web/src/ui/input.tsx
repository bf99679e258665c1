import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

const FIELD =
	"h-7 min-w-0 rounded border border-line-strong bg-surface px-2 text-base text-ink placeholder:text-muted disabled:opacity-60 pointer-coarse:h-11 aria-[invalid=true]:border-danger";

export function Input({ className, ...props }: ComponentProps<"input">): ReactNode {
	return <input spellCheck={false} autoComplete="off" {...props} className={classNames(FIELD, className)} />;
}

/** Several lines of text. */
export function TextArea({ className, ...props }: ComponentProps<"textarea">): ReactNode {
	return <textarea spellCheck={false} {...props} className={classNames(FIELD, "h-auto py-1", className)} />;
}

export interface FieldProps {
	readonly label: string;
	readonly hint?: ReactNode;
	readonly error?: string | undefined;
	readonly children: ReactNode;
}

/** A labelled field; the label wraps it, so they belong together without ids. */
export function Field({ label, hint, error, children }: FieldProps): ReactNode {
	return (
		// biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
		<label className="flex flex-col gap-1">
			<span className="text-muted text-sm">{label}</span>
			{children}
			{error ? (
				<span role="alert" className="text-danger text-sm">
					{error}
				</span>
			) : (
				hint && <span className="text-muted text-sm">{hint}</span>
			)}
		</label>
	);
}

export interface SearchInputProps extends ComponentProps<"input"> {
	/** Accessible name. */
	readonly label: string;
	readonly icon?: ReactNode;
	/** At the right end, such as a key or a count. */
	readonly after?: ReactNode;
	readonly boxClassName?: string;
}

export function SearchInput({ label, icon, after, boxClassName, className, ...props }: SearchInputProps): ReactNode {
	return (
		<span className={classNames("relative inline-flex min-w-0 items-center", boxClassName)}>
			<span className="pointer-events-none absolute left-2 text-muted">{icon}</span>
			<Input
				type="search"
				aria-label={label}
				{...props}
				className={classNames("w-full [&::-webkit-search-cancel-button]:hidden", icon ? "pl-7" : "", className)}
			/>
			{after && (
				<span className="pointer-events-none absolute right-2 flex items-center text-muted text-sm">{after}</span>
			)}
		</span>
	);
}
