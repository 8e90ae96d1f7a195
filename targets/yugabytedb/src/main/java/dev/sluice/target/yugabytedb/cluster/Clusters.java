package dev.sluice.target.yugabytedb.cluster;

import dev.sluice.config.MonotonicClock;
import dev.sluice.target.yugabytedb.cluster.Cluster.Opening;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The clusters that the process has sessions on, by their urls. Threadsafe. */
public final class Clusters {
  private final Map<String, Cluster> known = new ConcurrentHashMap<>();
  private final Predicate<SQLException> isAway;

  /**
   * @param isAway whether an error means that the server cannot be reached, so that another one
   *     should be tried
   */
  public Clusters(Predicate<SQLException> isAway) {
    this.isAway = isAway;
  }

  /**
   * Opens a session on a server of a cluster.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal with all problems of the url
   */
  public Connection connect(String jdbcUrl, Opening opening) throws SQLException {
    Optional<ClusterUrl> url = ClusterUrl.read(jdbcUrl);
    if (url.isEmpty()) {
      return opening.open(jdbcUrl, () -> {});
    }
    Optional<Spread> spread = url.get().spread();
    if (spread.isEmpty()) {
      return opening.open(url.get().ofDriver(url.get().hosts()), () -> {});
    }
    return known
        .computeIfAbsent(
            jdbcUrl, any -> new Cluster(url.get(), spread.get(), isAway, new MonotonicClock()))
        .connect(opening);
  }
}
