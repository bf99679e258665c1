let token: string | undefined;

/**
 * Takes the token of a password mail out of the address (`#token=…`), before anything is drawn: it is in no history entry
 * and no screenshot then. A fragment is never sent to a server.
 */
export function takeResetToken(): void {
	token = new URLSearchParams(location.hash.slice(1)).get("token") || undefined;
	if (location.hash !== "") history.replaceState(null, "", `${location.pathname}${location.search}`);
}

/** The token that was taken; undefined when the address had none. */
export function resetToken(): string | undefined {
	return token;
}
