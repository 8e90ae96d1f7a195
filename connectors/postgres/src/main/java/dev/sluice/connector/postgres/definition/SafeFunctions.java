package dev.sluice.connector.postgres.definition;

/** SQL conditions for functions that run on the target without the user's consent. Stateless. */
final class SafeFunctions {

  /*
   * Immutable functions of the server or of an extension: the target's own installation has them, and they neither
   * write nor read tables. Checks may also use the server's date and time functions, which depend only on the
   * clock and the session's settings.
   */
  /** SQL condition on the row {@code p} of pg_proc: neither built in nor an extension's. */
  static final String IS_OF_USERS =
      """
      (p.oid >= 16384 AND NOT EXISTS (
         SELECT FROM pg_depend x WHERE x.classid = 'pg_proc'::regclass AND x.objid = p.oid
           AND x.refclassid = 'pg_extension'::regclass AND x.deptype = 'e'))
      """;

  /** SQL condition on the row {@code p} of pg_proc: needs no consent. */
  static final String IS_SAFE =
      """
      (p.provolatile = 'i' AND NOT %s
       OR p.provolatile = 's' AND p.oid < 16384 AND p.prokind = 'f' AND (
         SELECT bool_or(t.typcategory IN ('D', 'T'))
           AND bool_and(t.typcategory IN ('D', 'T') OR NOT v.result AND t.typname IN ('text', 'float8')
                        OR v.result AND t.typname IN ('bool', 'int4', 'float8', 'numeric', 'text'))
         FROM (SELECT unnest(p.proargtypes::oid[]), false
               UNION ALL SELECT p.prorettype, true) v (type, result)
         JOIN pg_type t ON t.oid = v.type))
      """
          .formatted(IS_OF_USERS);

  /** An SQL query for the functions in a stored expression, given by the name of its column. */
  static String in(String expression) {
    // The server records no dependency on built-in functions: the expression itself is read.
    return """
        SELECT m[1]::oid FROM regexp_matches(%1$s, ':(?:funcid|opfuncid|aggfnoid|winfnoid) ([0-9]+)', 'g') m
        UNION
        SELECT o.oprcode::oid FROM regexp_matches(%1$s, ':opno ([0-9]+)', 'g') m
        JOIN pg_operator o ON o.oid = m[1]::oid
        """
        .formatted(expression);
  }

  private SafeFunctions() {}
}
