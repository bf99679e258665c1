/**
 * Every code of an error that a request can be answered with, and what its page says: what happened, and what to do.
 * Markdown; links are those of a page in `docs`. `docs/problems.md` is generated from it.
 */
export const PROBLEMS = {
	"Any request": {
		aborted: "The connection ended before the whole request had arrived. Send it again.",
		bad_request: "The server cannot read the request. `detail` says why; send it as HTTP wants it.",
		bad_url: "The address has a `%` that encodes nothing. Encode each part of a path or query once, as UTF-8.",
		body_too_large:
			"The body is larger than this address takes; `detail` names the limit. Send less at once. [How large bodies may be](limits-and-errors.md#how-large-bodies-may-be) has all limits, and the setting of those that can be raised.",
		content_type_missing:
			"The request has a body and no `Content-Type`. Add it: `application/json`, or `multipart/form-data` with its boundary for a form.",
		cross_site_request:
			"A page of another site sent this with a browser. If the page is yours, name its origin in `SERVICE_ALLOWED_ORIGINS`, or let its server send the request with an [API key](keys.md).",
		ctp_empty_json_body:
			"The request says that its body is JSON, and has none. Send a body, or leave out `Content-Type`.",
		ctp_invalid_content_length:
			"The body is longer or shorter than `Content-Length` says. A proxy may have changed the body; let it set the header anew.",
		ctp_invalid_json_body:
			"The body is no JSON. Send it in UTF-8, as [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259) has it.",
		ctp_invalid_media_type: "This address does not take bodies of this `Content-Type`. Send `application/json`.",
		form_too_large: "The form has too many fields, or fields that are too long. Send the data as a file of the form.",
		host_not_allowed:
			"While authentication is off, the server answers only under its own names, so that no other site can reach it through a browser. Name the host in `SERVICE_ALLOWED_HOSTS`, or in `SERVICE_ROOT_URL` if browsers use it ([settings](settings.md)).",
		idempotency_key_reused:
			"The same `Idempotency-Key` came with another request before. Use a new one, such as a UUID, for each request, and the same only to repeat one ([retrying](limits-and-errors.md#retrying-a-post)).",
		internal_error:
			"A fault of the server. Its log has the cause beside `request_id`; tell whoever runs the server, with that id. Sending the same request again rarely helps.",
		invalid_cursor:
			"The cursor is not one of this list, or of another sort or filter. Begin the list anew without `cursor`, and pass `next_cursor` with the same other parameters.",
		invalid_idempotency_key: "`Idempotency-Key` has to be 1 to 255 visible ASCII characters. Send a UUID.",
		invalid_range: "The time range ends before it begins. Send a `start_time` that is earlier than `end_time`.",
		invalid_url: "The path cannot be read. Encode each of its parts.",
		json_too_large:
			"The message nests too deep, or holds too many values. Send less at once ([limits](limits-and-errors.md#how-large-bodies-may-be)).",
		max_param_length: "A part of the path is too long. Look at the id or name that you put into it.",
		method_not_allowed: "The address is there, but not for this method. The header `Allow` names those it takes.",
		no_graphql:
			"There is no GraphQL. The REST API has the same: `/docs` on the server shows it, `/openapi.json` describes it for programs.",
		not_found:
			"There is no such address. Look at the path, and at the path below which the server is reached (`SERVICE_HOST_ROOT_PATH`); `/openapi.json` lists all addresses of the API.",
		precondition_failed:
			"Somebody else has changed this since you read it, and nothing was changed now. Read it again, and send the change with the new `ETag` in `If-Match` ([concurrent changes](limits-and-errors.md#concurrent-changes)).",
		request_in_progress:
			"The first request with this `Idempotency-Key` still runs. Send it again after `Retry-After` to get its answer.",
		several_hosts: "The request has more than one `Host` header. Send one; look at the proxy in between.",
		several_projects: "The traces are in several projects. Transfer those of one project at a time.",
		stopping: "The server is about to stop. Send the request again; another server, or the restarted one, answers it.",
		unsupported_encoding:
			"The body is compressed, which this address does not take. Send it without `Content-Encoding`.",
		unsupported_media_type: "The body is not of a type that this address takes. Send `Content-Type: application/json`.",
		validation:
			"A part of the request does not have the form that the address wants. `detail` says which; `/openapi.json` has the schema.",
		validation_failed:
			"A parameter or the body does not fit the schema. `errors` has an entry for each place: `loc` is the way to it, `msg` says what is expected there. `/openapi.json` has the whole schema.",
	},
	"Receiving spans": {
		bad_message: "A call over gRPC has to contain one complete message. Use an OTLP exporter.",
		corrupt_compression: "The body is not what `Content-Encoding` says. Send it completely, or without compression.",
		internal: "A fault of the server while it took the spans. Its log has the cause; tell whoever runs it.",
		metrics:
			"The server keeps no metrics. Send them elsewhere with `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT`, or set `OTEL_METRICS_EXPORTER=none`.",
		no_access:
			"All spans are for projects that their sender may not write; `detail` names them. Send to others, or have the sender let in ([who may send where](sending-traces.md#who-may-send-where)).",
		not_stored: "The spans were not stored; `detail` says why. Send them again.",
		project_name_too_long:
			"The name of the project is too long: 255 characters are the most. Send a shorter `x-project-name`.",
		queue_full:
			"Too many bytes wait to be stored, and nothing of this request was. Send it again after `Retry-After`; exporters do so by themselves ([scaling](scaling.md)).",
		storage_over_limit:
			"The storage is fuller than the settings allow. Delete what is old, or give it more room ([the folder](operations.md#the-folder)); then send it again.",
		too_large:
			"The export is larger than the server takes, as sent or decompressed; `detail` names the limit. Send smaller batches ([limits](limits-and-errors.md#receiving-v1traces-v1logs-grpc)).",
		undecodable:
			"The body is no OTLP, in protobuf or JSON as `Content-Type` says. Use an OTLP exporter ([sending traces](sending-traces.md)).",
		unknown_method: "There is no such method over gRPC. Traces and logs have one each, metrics have none.",
		worker_failed:
			"The part of the server that reads spans stopped, and has been started again. Send the request again.",
	},
	"Credentials and rights": {
		access_ended:
			"What the request is about was deleted, or hidden from you, while it ran. Ask whoever manages the project for [access](access.md), if you should have it.",
		admin_only:
			"Only admins may do this: logged in, or with the admin secret where `detail` says so. A system key has the rights of a member. Ask an admin ([who may call what](permissions.md)).",
		ambiguous_cookies:
			"The browser sent two session cookies with one name. Delete the cookies of this site, and log in again.",
		api_key_cannot_mint:
			"An API key cannot make API keys, so that a leaked one ends for good. Log in, and create it there.",
		authentication_off:
			"While authentication is off there are no accounts and keys. Set `SERVICE_ENABLE_AUTH=true` and `SERVICE_SECRET` to have them ([authentication](authentication.md)).",
		expired_token: "The credentials have expired. Log in again, or use another [key](keys.md).",
		foreign_origin:
			"A program can be let in only on a page of this server. Open the page at the address that `SERVICE_ROOT_URL` names.",
		insufficient_scope:
			"The program was not given the permission that `scope` names. Authorize it again, and give it that permission ([log-in for programs](programs.md)).",
		invalid_token:
			"The credentials are unknown, deleted, or meant for another address. Send a complete key as `Authorization: Bearer <key>`; a session that has ended needs a new log-in, and a link of a mail works once.",
		key_address_not_allowed:
			"The key must not be used from this address. Its owner can change `ip_ranges` of the [key](keys.md). Behind a proxy, see that `SERVICE_TRUSTED_PROXIES` names it.",
		key_limited:
			"The key or program is limited to some permissions or projects, and this is beyond them. Use one without that limit, or log in ([keys](keys.md#refusals)).",
		key_not_enough: "An API key is not enough for this: it is about an account. Log in.",
		key_origin_not_allowed:
			"Pages of this origin must not use the key. Its owner can change the origins of the [key](keys.md).",
		key_permission_missing:
			"The key lacks the permission that `scope` names. Create a key that has it; one cannot be given more than it had ([keys](keys.md#refusals)).",
		key_request_limit:
			"The key has sent as many requests as it may in a minute. Wait for `Retry-After`, or send fewer ([limits of keys](keys.md#limits)).",
		key_span_limit:
			"The key has sent as many spans as it may in a day. Wait for `Retry-After`, or use a key with a higher limit ([limits of keys](keys.md#limits)).",
		members_create_no_projects:
			"Members may not create projects here. Ask an admin to create it, or send to one that exists ([access](access.md)).",
		missing_token:
			"The request has no credentials. Send `Authorization: Bearer <key>` with an [API key](keys.md), or log in. `/auth.md` says how a program can ask for a token.",
		not_a_person:
			"This is about somebody's own account, and the system, a system key and the admin secret have none. Log in as a user.",
		password_reset_required:
			"A new password has to be set first; nothing else is possible before. Log in with the browser and set it ([authentication](authentication.md)).",
		project_role_needed:
			"The role in this project is too low: `needed` is the one that this takes, `own` is yours. Ask a manager of the project, or an admin ([access](access.md)).",
		rights_changed: "What you may see was changed while it was read. Ask again.",
		session_needed: "A key is not enough for this. Log in, or as an admin use the admin secret where `detail` says so.",
		token_cannot_mint: "A program cannot create API keys, whatever it was given. Log in, and create it there.",
		token_not_enough: "A program cannot do this, whatever it was given. Log in.",
		too_many_requests:
			"Too many requests of this kind came from you or your address. Wait for `Retry-After` ([limits](limits-and-errors.md#lists)).",
		untrusted_origin:
			"The page that sent this is of an origin that the server does not trust. Add it to `SERVICE_CSRF_TRUSTED_ORIGINS`, or see that `SERVICE_ROOT_URL` is the address that browsers use.",
		untrusted_referer:
			"The page that sent this has an address that the server does not trust. Add its origin to `SERVICE_CSRF_TRUSTED_ORIGINS`, or see that `SERVICE_ROOT_URL` is the address that browsers use.",
		viewer_read_only: "A viewer may only read. Ask an admin for the role member ([access](access.md)).",
	},
	"Logging in": {
		basic_auth_disabled: "Passwords are switched off here (`SERVICE_DISABLE_BASIC_AUTH`). Log in with another method.",
		current_password_needed: "To change a password, send the current one as `current_password` too.",
		default_password:
			"The default admin still has the default password, and can log in only from the machine of the server. Log in there and change it ([authentication](authentication.md)).",
		directory_unavailable:
			"No server of the directory answers. Try again later; whoever runs the server finds the reason in Settings → Sign-in and with `spanward doctor` ([troubleshooting](sign-in/troubleshooting.md)).",
		invalid_login:
			"The name or the password is wrong, or the account cannot log in this way. The answer is the same for all reasons; the log and Settings → Sign-in have more ([troubleshooting](sign-in/troubleshooting.md)).",
		log_in_refused: "The account cannot log in in this way. Use the method that it was made for.",
		login_locked:
			"After too many wrong passwords the account is locked. Wait for `Retry-After`; an admin can set a new password ([when nobody can log in](last-resort.md)).",
		mail_not_configured:
			"The server sends no mail. Whoever runs it sets `SERVICE_SMTP_HOSTNAME`; until then an admin can set a new password.",
		missing_credentials: "Name and password are both needed to log in.",
		no_password: "The account signs in with a provider or directory, and has no password here. Change it there.",
		password_policy:
			"The new password does not meet the rules; `detail` lists what is missing ([authentication](authentication.md)).",
		password_unchanged: "The new password is the current one. Choose another.",
		too_many_log_ins: "Too many people log in at the moment. Wait for `Retry-After`.",
		wrong_password: "The current password is wrong. Each attempt counts towards the lock of the account.",
	},
	"Programs that log in": {
		access_denied: "The user, or the server, did not let the program in. Ask the user to start the log-in again.",
		authorization_pending: "Nobody has decided yet about the code of the device. Ask again after `interval` seconds.",
		client_disabled: "An admin has disabled the program. Ask an admin ([log-in for programs](programs.md)).",
		client_is_seeded: "Every installation knows this program. It can be disabled, and not changed or deleted.",
		invalid_client:
			"The server does not know the program, or cannot read the document that its `client_id` names. Register it, or look at the id ([log-in for programs](programs.md)).",
		invalid_client_metadata:
			"The registration is not valid; `detail` says which field. Send it again with that field changed.",
		invalid_grant:
			"The code or refresh token was used, has expired, was taken back, or belongs to another program. Start the log-in anew.",
		invalid_redirect_uri:
			"The program asks for its answer at an address that it has not registered. Register the exact `redirect_uri`, or send the registered one.",
		invalid_request: "A parameter is missing, twice there or not valid; `detail` says which.",
		invalid_scope:
			"The program asked for no permission that exists: `read`, `annotate`, `ingest`, `write` and `admin` do ([log-in for programs](programs.md)).",
		invalid_target:
			"`resource` names no address of this server. Send the one that `/.well-known/oauth-protected-resource` has.",
		oauth2_client_not_found: "There is no such program, or not any more. List them again.",
		oauth2_grant_not_found: "There is no such authorization, or not for you. List them again.",
		registration_disabled: "Programs cannot register themselves here. Ask an admin to add the program.",
		root_url_unset: "Programs can log in only once `SERVICE_ROOT_URL` is set to the address that browsers use.",
		slow_down: "The program asks too often. Wait five seconds longer between its questions.",
		temporarily_unavailable: "The server cannot answer at the moment. Send the request again after `Retry-After`.",
		too_many_authorizations: "You have let in as many programs as one may. End some in Settings → Connected apps.",
		too_many_clients: "There are as many programs as there may be. An admin can delete unused ones.",
		too_many_devices: "Too many devices wait for a decision. Wait for `Retry-After`.",
		too_many_registrations:
			"Too many registrations came from this address. Wait for `Retry-After`, and register a program once.",
		too_many_user_codes: "Too many wrong codes were entered. Wait for `Retry-After`, and start the program anew.",
		unauthorized_client: "The program may not use this way of logging in. Use one that it is registered for.",
		unknown_user_code: "No program waits with this code. Look at it again, or start the program anew.",
		unsupported_grant_type: "The server has no such grant. `grant_types_supported` of the metadata lists those it has.",
		unsupported_response_type: "The server answers with a code alone. Send `response_type=code`.",
		user_code_expired: "The code has expired. Start the program anew.",
		user_code_used: "It was decided about this code already. Start the program anew.",
		too_many_programs:
			"Too many programs were asked for from your address, each by a document that the server has to read. Wait for `Retry-After`.",
	},
	"Users, keys, teams and access": {
		access_follows:
			"The service made this for something else, whose access it has. Change the access of that ([access](access.md)).",
		api_key_not_found: "There is no such key, or it is not yours. List the keys again.",
		batch_too_large: "The change is too large for one request; `detail` has the limit. Send fewer projects at once.",
		binding_needed: "The account has no email, so nobody could log in without its binding. Delete the account instead.",
		default_admin: "The default admin can neither be deleted nor get another role.",
		email_exists: "Another account has this email. Use that account, or another email.",
		invalid_api_key_id: "The id is not that of a key. Take it from the list of keys.",
		invalid_id: "The id is not of the kind that this address takes. Take it from the list.",
		invalid_rule_id: "The id is not that of a rule. Take it from the list of rules.",
		invalid_session_id: "The id is not that of a session. Take it from the list of sessions.",
		invalid_subject: "A subject is `user:<id>`, `team:<id>`, `api_key:<id>` or `oauth2_grant:<id>`.",
		invalid_team_id: "The id is not that of a team. Take it from the list of teams.",
		invalid_user_id: "The id is not that of a user. Take it from the list of users.",
		key_already_replaced: "This key was replaced already. Replace the one that took its place.",
		key_cannot_widen: "A key cannot get more than it had; `field` names what would widen it. Create another key.",
		last_admin: "This is the last admin who can log in. Make another admin first.",
		ldap_off: "LDAP is off. Set `SERVICE_LDAP_HOST` to switch it on ([signing in](sign-in/README.md)).",
		library_not_found: "The library does not exist, or not for you.",
		managed_by_scim: "The identity provider manages this team. Change it there.",
		member_by_group: "A group of the provider makes this person a member. Take them out of the group there.",
		no_encryption_key: "Secrets are encrypted with `SERVICE_SECRET`, which is not set. Set it, and restart.",
		not_bound: "The account has no binding to an identity that could be cleared.",
		not_oauth2: "Only users who sign in with OAuth 2 have `oauth2_client_id` and `oauth2_user_id`. Leave them out.",
		older_server_running:
			"A server of an older version uses the same database and would not heed this. Upgrade or stop it first.",
		own_account: "Nobody does this to their own account. Ask another admin.",
		provider_not_found: "No provider has this id. Settings → Sign-in lists them.",
		rule_not_found: "There is no such rule. List them again.",
		secret_damaged:
			"The secret cannot be decrypted: `SERVICE_SECRET` was changed, or the row is damaged. Store it again.",
		secret_not_found: "There is no secret with this name.",
		set_by_variable: "An environment variable sets this; `variable` names it. Change or unset it there.",
		subject_not_found: "There is no such user, team, key or authorization, or not for you.",
		subject_twice: "Somebody is named twice in one change. Name each once.",
		system_role: "Nobody can be given the role `SYSTEM`. Use `ADMIN`, `MEMBER` or `VIEWER`.",
		system_user: "The account of the system cannot be changed.",
		team_exists: "A team with this name exists already. Choose another name.",
		team_not_found: "There is no such team, or not for you.",
		too_many_api_keys: "There are as many keys as there may be. Delete unused ones.",
		too_many_grants: "So many roles cannot be given in one project. Give roles to teams instead of to each person.",
		too_many_members: "The team has as many members as there may be. Make another team.",
		too_many_rules: "There are as many rules as there may be. Join some by a pattern.",
		too_many_secrets: "There are as many secrets as there may be. Delete unused ones.",
		too_many_teams: "There are as many teams as there may be. Delete unused ones.",
		try_not_found: "You have no such try, or it has expired. Try again.",
		unknown_subject: "No such user or team exists, or not for you. Look at the id.",
		user_exists: "This user exists already.",
		user_not_found: "There is no such user. List them again.",
		username_exists: "Another account has this name. Choose another.",
		wider_access:
			"More people would see this than see the restricted project it comes from; `more_people` says how many. Send `allow_wider_access=true` if that is meant ([where a dataset lives](datasets.md#where-a-dataset-lives)).",
	},
	"Projects, traces, spans and sessions": {
		ambiguous_session:
			"Sessions of several projects have this id. Use one of the ids that `detail` lists, or narrow it with `project`.",
		ambiguous_span:
			"Spans of several projects have this id. Use one of the ids that `detail` lists, or narrow it with `project`.",
		ambiguous_trace:
			"Traces of several projects have this id. Use one of the ids that `detail` lists, or narrow it with `project`.",
		default_project: "The default project cannot be deleted. Delete its traces instead.",
		filter_too_slow:
			"The filter takes too long for one trace or session. Make it simpler ([how fast](filters.md#how-fast)).",
		home_required: "The key reaches several projects. Say in `project` where this is to live.",
		ids_and_filter: "A selection has ids or a filter, not both. Send one of them.",
		invalid_attribute:
			"The filter for an attribute cannot be read; `detail` says why. [Filters](filters.md) has the form.",
		invalid_bulk_run_id: "The id is not that of a run. Take it from the list of runs.",
		invalid_filter:
			"The filter cannot be read: `position` and `length` say where, `suggestions` what was perhaps meant. [Filters](filters.md) describes the language.",
		invalid_repair_id: "The id is not that of a repair. Take it from the list of repairs.",
		invalid_retention_policy:
			"The id is not that of a retention policy. Take it from the list ([retention](retention.md)).",
		invalid_span_kind: "There is no such kind of span. The kinds are those of OpenInference: `LLM`, `CHAIN`, `TOOL`, …",
		invalid_spans:
			"Some spans are not valid or came twice, and nothing was stored. `report` lists them; change them, and send all again.",
		invalid_status_code: "There is no such status. Send `OK`, `ERROR` or `UNSET`.",
		mixed_identifiers: "Some sessions are named by row ids and some by their own. Use one kind in a request.",
		moved_meanwhile: "It was moved to another project while this ran. Send the request again.",
		no_queries: "The request names nothing to look up. Send at least one query.",
		no_sessions: "The list of sessions is empty. Name at least one.",
		nobody: "The account that started the run does not exist any more. Start it anew.",
		not_own_bulk_run: "Only admins cancel the runs of others. Ask who started it, or an admin.",
		bulk_run_not_found: "There is no such run, or not for you. List them again.",
		nothing_selected: "Nothing of what was selected is in this project any more. Select anew.",
		project_exists: "A project with this name exists already. Use it, or choose another name.",
		project_has_content:
			"Datasets or prompts live in this project; `datasets` and `prompts` count them. Move them to another one or delete them first.",
		project_not_found:
			"There is no such project, or not for you. Look at the name; `GET /v1/projects` lists those that you see.",
		project_of_service: "The service made this project for something else, and it follows that. Choose another one.",
		rejected_spans: "Some spans were refused, the others are stored; `report` counts them. Look at what was sent.",
		repair_not_found: "There is no such repair. List them again.",
		repair_unfinished: "A repair of this kind waits or runs already. Wait for it.",
		retention_policy_exists: "A retention policy with this name exists already. Choose another name.",
		retention_policy_not_found: "There is no such retention policy. List them again.",
		default_retention_policy:
			"`SERVICE_DEFAULT_RETENTION_POLICY_DAYS` sets the default policy. Change it there, and restart.",
		same_project: "The traces are in this project already. Name another one.",
		session_not_found: "There is no such session, or not for you. Look at the id and the project.",
		span_not_found:
			"There is no such span, or not for you. It may not have arrived yet; look at the id and the project.",
		analytics_busy:
			"Too many questions are being answered at the moment. Ask again after `Retry-After`; `SERVICE_ANALYTICS_CONCURRENCY` says how many are answered at a time.",
		analytics_too_slow:
			"The question cannot be answered completely in `SERVICE_ANALYTICS_TIMEOUT_SECONDS`, or some errors of the time are still to be grouped, and `strict` asked for no less. Ask about a shorter time, or with a filter; about errors, again in a minute.",
		too_many_groups: "There are too many groups. Group by something with fewer values, or ask about less.",
		too_many_values: "The answer would have too many values. Ask for fewer groups, measures or buckets.",
		too_many_buckets: "The range has too many buckets. Ask for a shorter range, or larger buckets.",
		too_many_bulk_runs: "Too many runs are unfinished. Wait until some have ended, or cancel them.",
		too_many_ids: "A selection cannot have so many ids. Select with a filter.",
		too_many_searches:
			"Too many searches wait already, yours or those of all. Wait for their answers, then ask again ([how fast](filters.md#how-fast)).",
		invalid_view_id: "The id is none of a saved view. `GET /v1/views` lists them.",
		not_own_view:
			"Only admins delete the shared views of others, and only the owner makes a view private ([views](views.md)).",
		private_view_without_account:
			"Only people have private views. Log in, or use the key of a user; a system key saves shared ones.",
		too_many_views: "There are as many saved views as there may be. Delete unused ones ([views](views.md)).",
		unfit_default_view:
			"A list opens with a shared view of its own page, of its project or of every project. `detail` says what does not fit.",
		view_not_found:
			"There is no such saved view, or not for you. It may have been deleted, or be somebody's private one.",
		too_many_streams: "There are too many live views already. Close some, or wait for `Retry-After`.",
		trace_not_found:
			"There is no such trace, or not for you. It may not have arrived yet; look at the id and the project.",
		unbounded_delete:
			"This would delete everything. Send `start_time` and `end_time`, or `delete_all=true` if everything is meant.",
		unknown_filter: "The list has no such filter; `detail` names it. Look at the parameters in `/openapi.json`.",
	},
	Errors: {
		error_comment_not_found: "There is no such comment, or not for you. List the comments of the group again.",
		error_group_not_found:
			"There is no such group of errors, or not for you. It may have been merged with another, or be gone with its last failure ([errors](errors.md)).",
		last_fingerprint: "A group keeps at least one of its fingerprints. Leave one of them out.",
		not_own_comment: "Somebody else wrote this comment. Its author can change it; its author and admins can delete it.",
		other_project: "The groups are of several projects. Merge those of one project.",
		too_many_comments: "There are as many comments on this group as there may be. Delete some.",
		too_many_fingerprints: "The group would have too many fingerprints. Merge fewer groups, or unmerge some.",
		unknown_fingerprint: "The group does not have this fingerprint. Take it from the group.",
	},
	Dashboards: {
		built_in:
			"What every installation has cannot be changed or deleted. Duplicate it, and change the copy ([dashboards](dashboards.md)).",
		dashboard_not_found:
			"There is no such dashboard, or not for you: private ones are there for their owner only. `GET /v1/dashboards` lists those that you see.",
		not_own_dashboard:
			"Only its owner decides who sees a dashboard, and only they or an admin delete it. Ask them, or make a copy.",
		too_many_dashboards: "There are as many dashboards as there may be. Delete unused ones.",
	},
	"Review queues": {
		gold_run_not_found: "There is no such run of the review queue, or not for you. List them again.",
		no_gold:
			"No item of the queue has a gold answer that becomes an example. `left_out` of the run says why ([review](review.md)).",
		lease_lost:
			"The turn is not yours any more: its lease ran out, it was released, or the item was decided. The draft is kept; ask for `next` again ([review](review.md)).",
		not_a_reviewer:
			"You do not review in this queue: it names its reviewers, or this is a key of the system. Ask who made the queue.",
		not_adjudicator: "Only the adjudicators of the queue and admins decide. Ask one of them.",
		not_own_review_queue: "Only who made a review queue, or an admin, changes or deletes it. Ask them.",
		review_decided: "An adjudicator has decided this item, so that reviews of it cannot be changed any more.",
		review_item_not_found: "There is no such item in this review queue, or not for you. List the items again.",
		review_queue_archived: "The review queue is archived. Bring it back with `archived: false` first.",
		review_queue_exists: "A review queue with this name exists already. Choose another name.",
		review_queue_not_found: "There is no such review queue. List them again.",
		review_removed: "What was to be reviewed is gone. The answers that were given are kept.",
		review_too_old: "Only the last 50 reviews of one's own can be changed. Ask an adjudicator to decide the item.",
		review_rule_not_found:
			"The review queue has no rule, or one about a project that you do not see. Set one by `PUT` ([review](review.md)).",
		reviews_begun:
			"Items of the queue were reviewed or skipped already, so that the number of answers they need stays. Make another review queue.",
		too_many_gold_runs: "Too many runs are unfinished. Wait until some have ended, or cancel them.",
		too_many_review_items: "The review queue would have more items than a queue may have. Make another one.",
		too_many_review_queues: "There are as many review queues as there may be. Delete unused ones.",
	},
	Annotations: {
		annotation_config_exists: "An annotation configuration with this name exists already. Choose another name.",
		annotation_config_not_found: "There is no such annotation configuration. List them again.",
		annotation_not_found: "There is no such annotation, or not for you.",
		annotation_of_another:
			"Somebody else wrote the annotation that this would replace. Use another `identifier`, or ask an admin.",
		document_not_found: "The span of the document is not there, or not for you. Look at its id.",
		empty_note: "A note needs a text. To remove a note, delete it.",
		identifier_unsupported: "This kind of annotation takes no `identifier`. Leave it out.",
		invalid_annotation_config:
			"The annotation configuration is not valid; `detail` says why ([annotations](annotations.md)).",
		invalid_annotation_config_id: "The id is not that of an annotation configuration. Take it from the list.",
		invalid_annotation_id: "The id is not that of an annotation. Take it from the list.",
		not_own_annotation:
			"Somebody else wrote this annotation, and your role changes only your own. Ask a manager of the project.",
		position_out_of_bounds: "The span has fewer documents than the position says. Positions begin with 0.",
		reserved_name: "`note` is the name of notes. Choose another name, or send a note to its own address.",
		too_many_waiting:
			"Too many annotations wait for spans that have not arrived. See `GET /v1/waiting_annotations`, and delete those whose target will not come ([annotations](annotations.md#before-the-span-is-there)).",
		sessions_not_found: "None of the sessions is in this project. Look at the ids and the project.",
		spans_not_found: "None of the spans is in this project. Look at the ids and the project.",
		traces_not_found: "None of the traces is in this project. Look at the ids and the project.",
		unknown_annotation_config: "One of the annotation configurations is not there. Take the ids from the list.",
	},
	"Evaluators and experiment jobs": {
		dataset_evaluator_not_found: "The dataset does not have this evaluator. List its evaluators.",
		evaluator_archived: "The evaluator is archived. Restore it, or choose another.",
		evaluator_exists: "An evaluator with this name exists already. Add a version to it, or choose another name.",
		evaluator_in_use: "Something uses the evaluator; the message names it. Take it out there before.",
		evaluator_not_found: "There is no evaluator of this name or id. `GET /v1/evaluators` lists them.",
		evaluator_template_not_found: "There is no template with this key. `GET /v1/evaluator_templates` lists them.",
		evaluator_version_not_found: "There is no such version. List the versions of the evaluator.",
		experiment_job_ended: "The job has ended, so it can neither be paused nor resumed. Start another.",
		experiment_job_not_found: "There is no such job, or not for you. List them again.",
		invalid_evaluator_version_id: "The id is not that of a version of an evaluator. Take it from the list of versions.",
		invalid_experiment_job_id: "The id is not that of an experiment job. Take it from the list.",
		job_too_large:
			"The job would have more examples or runs than it may. Choose splits, or fewer variants or repetitions.",
		mapping_does_not_fit:
			"The mapping does not say where each input comes from, or names one that the evaluator does not have.",
		no_examples: "The version of the dataset, or the splits, have no example. Choose others.",
		same_metric_twice: "Two evaluators give a metric of the same name. Leave one of them out.",
		target_too_large: "What is to be judged has more spans or bytes than an evaluator is given. Judge a part of it.",
		too_many_dataset_evaluators: "The dataset has as many evaluators as it may. Take one out before.",
		too_many_evaluator_versions: "The evaluator has as many versions as it may. Make another evaluator.",
		too_many_evaluators: "There are as many evaluators as there may be, archived ones included.",
		too_many_experiment_jobs: "Too many jobs are unfinished. Wait until some have ended, or cancel them.",
		version_of_another: "The version belongs to another evaluator. Take one from its list of versions.",
	},
	"Datasets and experiments": {
		dataset_busy: "An upload to this dataset is under way. Send the request again when it has ended.",
		dataset_exists: "A dataset with this name exists already. Add to it, or choose another name.",
		dataset_label_exists: "A label with this name exists already. Use it, or choose another name.",
		dataset_label_not_found: "There is no such label. List them again.",
		dataset_not_found: "There is no such dataset, or not for you. `GET /v1/datasets` lists those that you see.",
		dataset_version_not_found: "The dataset has no such version. List its versions.",
		dataset_without_versions: "The dataset has no version yet. Add examples first.",
		duplicate_example_id: "Two examples of the request have one id. Give each its own.",
		evaluation_name_missing: "At least one `evaluation_name` is needed.",
		example_not_found: "The dataset has no such example. List its examples, in the version that is meant.",
		example_too_deep: "An example nests too deep; `detail` names it. Flatten it.",
		example_too_large: "An example is too large; `detail` names it. Make it smaller, or store a reference.",
		experiment_not_found: "There is no such experiment, or not for you.",
		invalid_dataset_id: "The id is not that of a dataset. Take it from the list; a name is not an id here.",
		invalid_example_id: "The id is not that of an example. Take it from the list.",
		invalid_experiment_id: "The id is not that of an experiment. Take it from the list.",
		invalid_form:
			"The form broke off, or is malformed. Send it again with a library that writes `multipart/form-data`.",
		invalid_label_id: "The id is not that of a label. Take it from the list.",
		invalid_requirement:
			"A requirement of a gate cannot be read: `requirement` is its number from 0, `position` and `length` say where, `suggestions` what was perhaps meant. [Gates](gates-in-ci.md#requirements) describes them.",
		invalid_run_id: "The id is not that of a run of an experiment. Take it from the list.",
		invalid_split_id: "The id is not that of a split. Take it from the list.",
		invalid_upload: "The file cannot be read as what it was sent as; `detail` says where ([datasets](datasets.md)).",
		invalid_version_id: "The id is not that of a version. Take it from the list of versions.",
		lives_elsewhere: "It lives in another project than the request names. Leave `project` out, or move it first.",
		metadata_too_long: "`metadata` is too long; `detail` has the limit.",
		nothing_to_change: "The request changes nothing. Send at least one field.",
		nothing_to_update: "The request changes nothing. Send at least one field.",
		repetition_out_of_range: "The experiment has fewer repetitions than the number says. They begin with 1.",
		run_exists:
			"This example has a successful result for this repetition already, which is kept. Send another repetition number, or run another experiment.",
		run_not_found: "The experiment has no such run.",
		same_experiment: "An experiment cannot be compared with itself. Name another one.",
		spans_too_large: "The spans are too large for one request. Send fewer at once.",
		split_exists: "A split with this name exists already. Use it, or choose another name.",
		split_not_found: "There is no such split. List them again.",
		too_many_columns: "The examples have too many different keys for a table. Download them as JSON Lines.",
		too_many_evaluation_names:
			"The evaluations of the experiment have as many names as they may. Use the same names again.",
		too_many_splits: "The dataset has as many splits as it may. Delete unused ones.",
		too_many_tags: "There are as many tags as there may be. Delete unused ones.",
		too_many_uploads: "Too many uploads run at once. Wait for `Retry-After`.",
		upload_lost: "The upload was interrupted, and nothing of it was stored. Send it again.",
		upload_too_large:
			"The upload is larger than `SERVICE_MAX_UPLOAD_BYTES` allows. Send it in parts, or raise the setting.",
		uploads_not_writable:
			"The server cannot write to its folder of uploads; its log says why. Give it room and the right to write ([operations](operations.md#the-folder)).",
	},
	Playground: {
		experiment_without_task:
			"A program ran the experiment, so the server does not know what it called. Open one that the server ran, or a call of a model from one of its traces.",
		missing_variables:
			"The messages name variables that have no value; `variables` lists them. Give each a value. Nothing was sent to a model.",
		not_a_model_call: "The span is no call of a model. Open one of the kind LLM, such as one below it.",
		playground_project_closed:
			"The project of the playground (`SERVICE_PLAYGROUND_PROJECT_NAME`) is not one that you may write to. Say in `project` which of yours gets the traces.",
		several_restricted_sources:
			"What the run begins with is from several restricted projects. Say in `project` which one gets the traces.",
		template_too_long:
			"With its values filled in, a template is longer than models take; `detail` has the limit. Give shorter values.",
		too_many_calling_requests:
			"You send more requests that call models than one user may, at once or a minute. Wait for `Retry-After` ([limits](limits-and-errors.md)).",
	},
	"Prompts and prices": {
		built_in_price: "Built-in prices cannot be changed. Add one of your own, which wins ([prices](prices.md)).",
		cost_recomputation_not_found: "There is no such recomputation, or not for you.",
		invalid_cost_recomputation_id: "The id is not that of a recomputation. Take it from the list.",
		invalid_model_price_id: "The id is not that of a price. Take it from the list.",
		invalid_prompt_name:
			"A name has lower-case letters, digits, `_` and `-`, and begins and ends with a letter or digit.",
		invalid_prompt_version_id: "The id is not that of a version of a prompt. Take it from the list.",
		invalid_source_prompt: "The id of the source is not that of a prompt. Take it from the list.",
		invocation_parameters_mismatch:
			"The parameters are those of another provider than the version names. Send the same in both.",
		model_price_exists: "There is a price for this pattern, provider and start already. Change that one.",
		model_price_not_found: "There is no such price. List them again.",
		prompt_exists: "A prompt with this name exists already. Add a version to it, or choose another name.",
		prompt_not_found: "There is no such prompt, or not for you. `GET /v1/prompts` lists those that you see.",
		prompt_version_not_found: "The prompt has no such version or tag. List its versions.",
		prompt_version_too_large:
			"The version is too large to be compared; `detail` has the limit. Read the versions themselves.",
		source_prompt_not_found: "The prompt that this is to be a copy of is not there, or not for you.",
		template_type: 'A prompt has messages. Send `template_type: "CHAT"`.',
		too_many_cost_recomputations: "Too many recomputations of this project are unfinished. Wait until some have ended.",
		too_many_model_prices: "There are as many prices as there may be. Delete unused ones ([prices](prices.md)).",
	},
	Models: {
		connection_unconfirmed:
			"The model connection was made or changed while authentication was off. Look at its address, and confirm it in Settings → Models ([model connections](model-connections.md)).",
		credentials_required:
			"The request changes where, or how, the stored credentials of the model connection would be sent. Send each credential and header that `missing` names again in the same request, or null to delete it. Nothing was changed.",
		forbidden_address:
			"The server does not send requests to this address; `detail` says why. Choose another one, or have whoever runs the server list it in the variable that `setting` names ([model connections](model-connections.md)).",
		invalid_model_connection_id: "The id is not that of a model connection. Take it from the list.",
		model_connection_declared:
			"The model connection is declared by `SERVICE_MODEL_CONNECTIONS`. Change it there, and restart the server ([model connections](model-connections.md)).",
		model_connection_exists: "A model connection with this name exists already. Choose another name.",
		model_connection_in_use:
			"Something uses the model connection; `uses` lists it. Let that use another one first, or delete with `force=true`, after which it does not work any more.",
		model_connection_unusable:
			"The model connection cannot be used as it is stored; `detail` says why, such as a credential that cannot be decrypted. Enter what is missing again.",
		model_connection_not_found: "There is no such model connection. List them again.",
		secret_in_use:
			"Model connections use the secret by its name; `connections` lists them. Give them another credential, or delete them, first.",
		secret_needs_preset:
			"A stored secret is sent only to a provider whose address is known here. For an address of your own, send the credential as a value ([model connections](model-connections.md)).",
		too_many_model_connections: "There are as many model connections as there may be. Delete unused ones.",
		unknown_secret: "There is no secret with this name. Store it first, or send the credential as a value.",
	},
	"Agents over MCP": {
		too_few_tokens:
			"What was asked for does not fit into `max_tokens`, not even shortened. Ask with more, or for less ([budget](mcp.md)).",
		too_many_calls: "Too many calls came at once, or in a minute. Wait for `Retry-After` ([limits](mcp.md)).",
	},
	"The database": {
		database_connections_in_use:
			"All connections of the server to the database are in use. Try again; `SERVICE_DATABASE_POOL_SIZE` allows more ([PostgreSQL](postgresql.md)).",
		database_unreachable:
			"The database cannot be reached. Try again after `Retry-After`; whoever runs the server looks at it with `spanward doctor`.",
		rights_changing: "Who may send what has just been changed several times. Send it again after `Retry-After`.",
		storage_behind:
			"Each replica of the database of traces is too far behind. Try again; if it lasts, look at its replication ([ClickHouse](clickhouse.md)).",
		storage_busy:
			"The database of traces has too much to do at the moment. Try again after `Retry-After` ([ClickHouse](clickhouse.md)).",
		storage_failing:
			"The database does not answer. Try again after `Retry-After`; the log of the server has the reason.",
		storage_full:
			"The storage is full, so nothing that takes room is stored; deleting works. Delete what is old, or give it more room ([the folder](operations.md#the-folder)).",
		storage_incomplete:
			"A part of the traces cannot be reached, so the answer would lack something. Try again; if it lasts, look at the shard that `detail` names ([ClickHouse](clickhouse.md)).",
		storage_read_only:
			"The database or its disk is read-only. Whoever runs the server makes it writable; the log says more.",
		storage_refused:
			"The database of traces refuses the user of the server. Its log says once a minute what to check ([ClickHouse](clickhouse.md)).",
		storage_too_slow:
			"The request takes longer, or more memory, than one may. Ask for less: a shorter time (`start_time`, `end_time`), or a narrower filter ([how fast](filters.md#how-fast)).",
		storage_unreachable:
			"The database of traces cannot be reached. Try again after `Retry-After`; whoever runs the server looks at it with `spanward doctor`.",
	},
} as const;

type Sections = typeof PROBLEMS;

/** Stable, for programs: `project_not_found`. Each has a page. */
export type ProblemCode = { [Section in keyof Sections]: keyof Sections[Section] }[keyof Sections];
