package redis.clients.jedis.authentication;

import org.junit.jupiter.api.Test;
import redis.clients.authentication.core.IdentityProvider;
import redis.clients.authentication.core.SimpleToken;
import redis.clients.authentication.core.TokenAuthConfig;
import redis.clients.jedis.Connection;

import java.util.HashMap;

public class AuthXManagerThreadsTest {
  @Test
  public void connectionsCanBeAddedDuringARenewal() throws Exception {
    TokenAuthConfig config = TokenAuthConfig.builder()
        .identityProviderConfig(() -> (IdentityProvider) () -> null).build();
    AuthXManager manager = new AuthXManager(config);
    Connection first = manager.addConnection(new Connection());
    Connection second = manager.addConnection(new Connection());
    Thread other = new Thread(() -> manager.addConnection(new Connection()));
    other.start();
    manager.authenticateConnections(
        new SimpleToken("user", "value", Long.MAX_VALUE, 0L, new HashMap<>()));
    other.join();
  }
}
