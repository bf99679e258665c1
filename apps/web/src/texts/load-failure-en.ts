/** Of the page that could not load the rest of the app. */
export const loadFailure =
	"Spanward did not load. The server does not answer, or was just upgraded. Check that it is running, then reload the page.";
